//! A PostgreSQL server of our own, started once for all tests of this binary and ended with it.
//!
//! It needs PostgreSQL's programs (`apt-get install postgresql`). Where they are not, tests say what they skip; with
//! `CI` set they fail instead.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sqlogue::database::PostgresDatabase;

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
        assert!(std::env::var_os("CI").is_none(), "PostgreSQL's programs are not installed");
        // Past the capture of output, because a skipped test must be noticed.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED {test}: PostgreSQL's programs (`initdb`, `postgres`) are not installed"
        );
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

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// PostgreSQL does not run as root; `nobody` owns nothing that it could harm.
fn command(program: &Path) -> Command {
    if is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"]).arg(program);
        command
    } else {
        Command::new(program)
    }
}

impl Server {
    #[expect(
        clippy::zombie_processes,
        reason = "the server lives as long as the test process, and is ended after it"
    )]
    fn start(programs: &Path) -> Server {
        let folder = std::env::temp_dir().join(format!("sqlogue-postgres-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        if is_root() {
            assert!(Command::new("chown").arg("nobody:nogroup").arg(&folder).status().unwrap().success());
        }
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
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
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
        end_with_us(&child, &folder);
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
        let mut child = self
            .psql(database)
            .args(["-f", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let sql = sql.to_owned();
        let writer = std::thread::spawn(move || input.write_all(sql.as_bytes()));
        let output = child.wait_with_output().unwrap();
        let _ = writer.join();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
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

    pub async fn open(&self, database: &str) -> PostgresDatabase {
        PostgresDatabase::connect(&self.url(database)).await.unwrap()
    }
}

/// Makes an authority and a certificate that it vouches for under the name `localhost`; false where `openssl` is not
/// installed.
fn certificate(folder: &Path, data: &Path) -> bool {
    let script = format!(
        "set -e; cd '{}'; \
         openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=authority \
           -addext basicConstraints=critical,CA:true -keyout ca.key -out ca.pem; \
         openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost -keyout server.key -out server.csr; \
         printf 'subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth\n' > names; \
         openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.crt; \
         cp server.key server.crt '{}'; chmod 600 '{}'/server.key",
        folder.display(),
        data.display(),
        data.display()
    );
    let mut shell = command(Path::new("sh"));
    shell.args(["-c", &script]).current_dir(folder).output().is_ok_and(|output| output.status.success())
}

/// Ends the server and removes its folder when this process ends, however it ends: a shell waits for the pipe that
/// only we hold open.
fn end_with_us(server: &Child, folder: &Path) {
    let script = format!(
        "cat >/dev/null; kill -INT {0} 2>/dev/null; i=0; while kill -0 {0} 2>/dev/null && [ $i -lt 50 ]; do sleep 0.1; i=$((i+1)); done; \
         kill -KILL {0} 2>/dev/null; rm -rf '{1}'",
        server.id(),
        folder.display()
    );
    let guard = Command::new("sh")
        .args(["-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Never dropped, so that the pipe closes only with this process.
    std::mem::forget(guard);
}
