//! A MariaDB server of our own, started once for all tests of this binary and ended with it.
//!
//! It needs MariaDB's programs (`apt-get install mariadb-server`). Where they are not, tests say what they skip; with `CI` set
//! they fail instead.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sqlogue::database::MySqlDatabase;

use crate::server_kit::{self, certificate, command, end_with_us};

/// A running server.
pub struct Server {
    folder: PathBuf,
    port: u16,
    encrypts: bool,
}

/// The server, or none where MariaDB's programs are not installed.
pub fn server(test: &str) -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    let server = SERVER.get_or_init(|| program("mariadbd").map(|program| Server::start(&program)));
    if server.is_none() {
        server_kit::skip(test, "MariaDB's programs (`mariadbd`, `mariadb-install-db`, `mariadb`)");
    }
    server.as_ref()
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/bin".into()]);
    folders.map(|folder| folder.join(name)).find(|program| program.exists())
}

impl Server {
    #[expect(
        clippy::zombie_processes,
        reason = "the server lives as long as the test process, and is ended after it"
    )]
    fn start(program: &Path) -> Server {
        let folder = server_kit::folder("mariadb");
        let data = folder.join("data");
        let made = command(&self::program("mariadb-install-db").unwrap())
            .args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"])
            .arg(format!("--datadir={}", data.display()))
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let port = server_kit::free_port();
        let encrypts = certificate(&folder, &data);
        let log = fs::File::create(folder.join("log")).unwrap();
        let mut mariadb = command(program);
        mariadb
            .args([
                "--no-defaults",
                "--bind-address=127.0.0.1",
                "--skip-name-resolve",
                "--default-time-zone=+02:00",
            ])
            .args(["--character-set-server=utf8mb4", "--collation-server=utf8mb4_nopad_bin"])
            .args([
                "--innodb-flush-log-at-trx-commit=0",
                "--innodb-buffer-pool-size=64M",
                "--max-connections=200",
            ])
            // A cell can be as large as the server takes them anywhere.
            .args(["--max-allowed-packet=1G", "--secure-file-priv="])
            .args([format!("--port={port}"), format!("--datadir={}", data.display())])
            .arg(format!("--socket={}", folder.join("socket").display()))
            .arg(format!("--pid-file={}", folder.join("pid").display()));
        if encrypts {
            mariadb.arg(format!("--ssl-cert={}", data.join("server.crt").display()));
            mariadb.arg(format!("--ssl-key={}", data.join("server.key").display()));
        }
        let child = mariadb
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        end_with_us(&child, "TERM", &folder);
        let server = Server { folder, port, encrypts };
        server.wait();
        server.run(
            "mysql",
            "CREATE USER writer@'%' IDENTIFIED BY 'wr/te'; GRANT ALL PRIVILEGES ON *.* TO writer@'%' WITH GRANT OPTION;",
        );
        server
    }

    fn wait(&self) {
        let started = Instant::now();
        let answers = || self.client("mysql").args(["-e", "SELECT 1"]).output();
        while !answers().is_ok_and(|output| output.status.success()) {
            let log = || fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            assert!(started.elapsed() < Duration::from_secs(60), "the server does not start: {}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn client(&self, database: &str) -> Command {
        let mut client = Command::new(program("mariadb").unwrap());
        client
            .args(["--no-defaults", "--default-character-set=utf8mb4", "-u", "root", "-N", "-B", "-S"])
            .arg(self.folder.join("socket"))
            .arg(database);
        client
    }

    /// Runs SQL as the superuser, by MariaDB's own program, and returns what it prints.
    pub fn run(&self, database: &str, sql: &str) -> String {
        server_kit::run(self.client(database), sql)
    }

    /// Makes a database of its own for a test, in which the account of the tests may do everything; `sql` fills it.
    pub fn database(&self, sql: &str) -> String {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        self.run("mysql", &format!("CREATE DATABASE {name};"));
        self.run(&name, sql);
        name
    }

    /// The URL for the account that may do everything, over TCP with a password.
    pub fn url(&self, database: &str) -> String {
        format!("mysql://writer:wr%2Fte@127.0.0.1:{}/{database}", self.port)
    }

    /// The URL of the socket.
    pub fn socket_url(&self, database: &str) -> String {
        let socket = self.folder.join("socket");
        format!("mariadb://writer:wr%2Fte@localhost/{database}?socket={}", socket.display())
    }

    /// The file of the authority that vouches for the server; none where the server does not encrypt.
    pub fn authority(&self) -> Option<PathBuf> {
        self.encrypts.then(|| self.folder.join("ca.pem"))
    }

    /// The names of the files that the server can write beside its data.
    pub fn files(&self) -> Vec<String> {
        let entries =
            fs::read_dir(&self.folder).unwrap().chain(fs::read_dir(self.folder.join("data")).unwrap());
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    pub async fn open(&self, database: &str) -> MySqlDatabase {
        MySqlDatabase::connect(&self.url(database)).await.unwrap()
    }
}
