//! A PostgreSQL server of our own, started once for all tests of this binary and ended with it.
//!
//! It needs PostgreSQL's programs (`apt-get install postgresql`). Where they are not, tests say what they skip; with
//! `CI` set they fail instead.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sqlogue::database::PostgresDatabase;

use crate::server_kit::{self, certificate, command, end_with_us};

/// A running server.
pub struct Server {
    folder: PathBuf,
    port: u16,
}

/// The server, or none where PostgreSQL's programs are not installed.
pub fn server(test: &str) -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    let server = SERVER.get_or_init(|| programs().map(|programs| Server::start(&programs)));
    if server.is_none() {
        server_kit::skip(test, "PostgreSQL's programs (`initdb`, `postgres`)");
    }
    server.as_ref()
}

fn programs() -> Option<PathBuf> {
    let has_all =
        |folder: &PathBuf| ["initdb", "postgres", "psql"].iter().all(|name| folder.join(name).exists());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .map(|versions| versions.flatten().map(|version| version.path().join("bin")).collect())
        .unwrap_or_default();
    folders.sort();
    folders.reverse();
    folders.into_iter().chain(std::env::split_paths(&path)).find(has_all)
}

impl Server {
    #[expect(
        clippy::zombie_processes,
        reason = "the server lives as long as the test process, and is ended after it"
    )]
    fn start(programs: &Path) -> Server {
        let folder = server_kit::folder("postgres");
        let data = folder.join("data");
        let made = command(&programs.join("initdb"))
            .args([
                "--auth=scram-sha-256",
                "--auth-local=trust",
                "--username=boss",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync",
                "-D",
            ])
            .arg(&data)
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let port = server_kit::free_port();
        let encrypts = certificate(&folder, &data);
        let log = fs::File::create(folder.join("log")).unwrap();
        let child = command(&programs.join("postgres"))
            .arg("-D")
            .arg(&data)
            .args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1", "-c", "timezone=UTC"])
            .args(["-c", "fsync=off", "-c", "shared_buffers=32MB", "-c", "max_connections=100"])
            .args(["-c", "autovacuum=off", "-c", if encrypts { "ssl=on" } else { "ssl=off" }, "-k"])
            .arg(&folder)
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        end_with_us(&child, "INT", &folder);
        let server = Server { folder, port };
        server.wait();
        server.run(
            "postgres",
            "CREATE ROLE writer LOGIN PASSWORD 'wr/te'; GRANT pg_read_all_data, pg_write_all_data TO writer;",
        );
        server
    }

    fn wait(&self) {
        let started = Instant::now();
        while !self.folder.join(format!(".s.PGSQL.{}", self.port)).exists() || !self.answers() {
            let log = || fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            assert!(started.elapsed() < Duration::from_secs(60), "the server does not start: {}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn answers(&self) -> bool {
        self.psql("postgres").args(["-c", "SELECT 1"]).output().is_ok_and(|output| output.status.success())
    }

    fn psql(&self, database: &str) -> Command {
        let programs = programs().unwrap();
        let mut psql = Command::new(programs.join("psql"));
        psql.args(["-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-U", "boss", "-d", database, "-h"])
            .arg(&self.folder)
            .args(["-p", &self.port.to_string()]);
        psql
    }

    /// Runs SQL as the superuser, by PostgreSQL's own program, and returns what it prints.
    pub fn run(&self, database: &str, sql: &str) -> String {
        let mut psql = self.psql(database);
        psql.args(["-f", "-"]);
        server_kit::run(psql, sql)
    }

    /// Makes a database of its own for a test, owned by a role that may write; `sql` fills it.
    pub fn database(&self, sql: &str) -> String {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        self.run("postgres", &format!("CREATE DATABASE {name} OWNER writer;"));
        self.run(&name, &format!("ALTER SCHEMA public OWNER TO writer; SET ROLE writer; {sql}"));
        name
    }

    /// The URL for the role that may write, over TCP with a password.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://writer:wr%2Fte@127.0.0.1:{}/{database}", self.port)
    }

    /// The URL of the socket.
    pub fn socket_url(&self, database: &str) -> String {
        format!("postgres://writer@/{database}?host={}&port={}", self.folder.display(), self.port)
    }

    /// Everything in the files of a database's tables of one schema, as they are on the disk now. A table that was written
    /// anew has its old file removed by then.
    pub fn bytes(&self, database: &str, schema: &str) -> Vec<u8> {
        let paths = self.run(
            database,
            &format!(
                "CHECKPOINT; SELECT pg_relation_filepath(oid) FROM pg_class WHERE relfilenode <> 0 AND
                 (relnamespace = '{schema}'::regnamespace OR oid IN
                  (SELECT reltoastrelid FROM pg_class WHERE relnamespace = '{schema}'::regnamespace));"
            ),
        );
        paths.lines().flat_map(|path| fs::read(self.folder.join("data").join(path)).unwrap()).collect()
    }

    /// The file of the authority that vouches for the server; none where the server does not encrypt.
    pub fn authority(&self) -> Option<PathBuf> {
        Some(self.folder.join("ca.pem")).filter(|_| self.folder.join("data/server.crt").exists())
    }

    /// What the server has logged so far.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap()
    }

    pub async fn open(&self, database: &str) -> PostgresDatabase {
        PostgresDatabase::connect(&self.url(database)).await.unwrap()
    }
}
