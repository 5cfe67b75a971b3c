//! What the database servers of the tests have in common: they run as somebody who owns nothing, and end with the tests.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Says that a test is left out because a server's programs are missing; with `CI` set it fails instead.
pub fn skip(test: &str, programs: &str) {
    assert!(std::env::var_os("CI").is_none(), "{programs} are not installed");
    // Past the capture of output, because a skipped test must be noticed.
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {programs} are not installed");
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// A server does not run as root; `nobody` owns nothing that it could harm.
pub fn command(program: &Path) -> Command {
    if is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"]).arg(program);
        command
    } else {
        Command::new(program)
    }
}

/// A new folder that the server may write to.
pub fn folder(kind: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("sqlogue-{kind}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    if is_root() {
        assert!(Command::new("chown").arg("nobody:nogroup").arg(&folder).status().unwrap().success());
    }
    folder
}

/// A port that nobody listens on.
pub fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Makes an authority and a certificate that it vouches for under the name `localhost`; false where `openssl` is not
/// installed.
pub fn certificate(folder: &Path, data: &Path) -> bool {
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

/// Runs a client's program on SQL, and returns what it prints.
pub fn run(mut client: Command, sql: &str) -> String {
    let mut child =
        client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let sql = sql.to_owned();
    let writer = std::thread::spawn(move || input.write_all(sql.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Ends the server and removes its folder when this process ends, however it ends: a shell waits for the pipe that
/// only we hold open.
pub fn end_with_us(server: &Child, signal: &str, folder: &Path) {
    let script = format!(
        "cat >/dev/null; kill -{signal} {0} 2>/dev/null; i=0; while kill -0 {0} 2>/dev/null && [ $i -lt 50 ]; do sleep 0.1; i=$((i+1)); done; \
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
