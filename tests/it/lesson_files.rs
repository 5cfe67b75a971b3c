//! The lessons' files: several processes, sudden deaths, damage, no room, no permission.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use jiff::Timestamp;
use sqlogue::lesson::{
    Effect, Filter, HAND_WRITTEN_FILE, LEARNED_FILE, Lesson, LessonChange, LessonError, LessonFiles,
    LessonMemory, LessonNotice, Origin, Teaching,
};
use tempfile::TempDir;

const FOLDER: &str = "SQLOGUE_TEST_LESSONS";
const NAME: &str = "SQLOGUE_TEST_NAME";
const PROCESSES: usize = 16;
const EACH: usize = 12;

fn lesson(name: &str) -> Lesson {
    let origin =
        Origin::Correction { at: Timestamp::UNIX_EPOCH, question: name.to_owned(), turn: name.to_owned() };
    Lesson::new(Teaching::table(name, format!("PROD_{name}")), Some("shop"), origin)
}

fn shared() -> Lesson {
    Lesson::new(Teaching::table("Shared", "PROD_Shared"), Some("shop"), Origin::HandWritten)
}

/// Not a test of its own: what each process of the next one does.
#[test]
#[ignore = "run by sixteen_processes_learn_at_once_and_some_are_killed"]
fn child() {
    let (Ok(folder), Ok(name)) = (std::env::var(FOLDER), std::env::var(NAME)) else { return };
    let files = LessonFiles::new(folder).waiting(Duration::from_secs(120));
    for number in 0..EACH {
        let lesson = lesson(&format!("T{name}x{number}"));
        let used = LessonChange::Use { id: shared().id, succeeded: true, at: Timestamp::UNIX_EPOCH };
        let changes = [LessonChange::Learn { lesson: Box::new(lesson) }, used];
        let turn = format!("{name}-{number}");
        files.record(Some(&turn), &changes).unwrap();
        // Recorded again, as after a crash between learning and writing the turn down.
        assert!(files.record(Some(&turn), &changes).unwrap().effects.is_empty());
        println!("done {number}");
        std::io::stdout().flush().unwrap();
    }
}

fn start(folder: &Path, name: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "lesson_files::child", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .env(NAME, name.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn sixteen_processes_learn_at_once_and_some_are_killed() {
    let folder = TempDir::new().unwrap();
    let readers: Vec<_> = (0..PROCESSES)
        .map(|name| {
            let mut child = start(folder.path(), name);
            std::thread::spawn(move || {
                let lines = BufReader::new(child.stdout.take().unwrap()).lines();
                let mut done = Vec::new();
                for line in lines.map_while(Result::ok) {
                    let Some((_, number)) = line.split_once("done ") else { continue };
                    done.push(number.trim().parse::<usize>().unwrap());
                    // Every second process is killed somewhere on its way, each at another moment.
                    if name % 2 == 1 && done.len() == 1 + name / 2 {
                        std::thread::sleep(Duration::from_micros((name as u64 * 7919) % 4000));
                        child.kill().unwrap();
                    }
                }
                child.wait().unwrap();
                (name, done)
            })
        })
        .collect();
    let done: Vec<(usize, Vec<usize>)> = readers.into_iter().map(|reader| reader.join().unwrap()).collect();

    let files = LessonFiles::new(folder.path());
    let lessons = files.lessons();
    assert_eq!(files.notices(), []);
    let known: BTreeSet<String> =
        lessons.list(&Filter::default()).map(|lesson| lesson.id.to_string()).collect();
    let mut completed = 0;
    for (name, numbers) in &done {
        completed += numbers.len();
        assert!(name % 2 == 1 || numbers.len() == EACH, "process {name} was not killed and did {numbers:?}");
        for number in numbers {
            let id = lesson(&format!("T{name}x{number}")).id.to_string();
            assert!(known.contains(&id), "the lesson {number} of process {name} is lost");
        }
    }
    assert!(completed < PROCESSES * EACH, "nobody was killed on the way");
    // Each record is whole: as many uses were counted as lessons learned.
    fs::write(
        folder.path().join(HAND_WRITTEN_FILE),
        "table_mappings: [{schema_name: Shared, actual_name: PROD_Shared, database: shop}]",
    )
    .unwrap();
    let lessons = files.lessons();
    assert_eq!(lessons.get(&shared().id).unwrap().usage_count, known.len() as u64);
    // What the dead left behind is swept away by the next who learns.
    files.add(lesson("Last")).unwrap();
    let mut names: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, [LEARNED_FILE, "learned_lessons.lock", HAND_WRITTEN_FILE]);
}

#[test]
fn a_damaged_file_is_kept_aside_and_learning_goes_on() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(LEARNED_FILE);
    for damage in ["", "{", "{\"version\":1,\"lessons\":[{\"id\":3}]}", "[]", "\u{0}\u{1}", "\"words\""] {
        fs::write(&path, damage).unwrap();
        let files = LessonFiles::new(folder.path());
        assert!(files.lessons().is_empty());
        let notices = files.notices();
        let [LessonNotice::KeptAside { kept, .. }] = notices.as_slice() else {
            panic!("{damage:?}: {notices:?}")
        };
        assert_eq!(fs::read_to_string(kept).unwrap(), damage);
        assert!(!path.exists());
        assert_eq!(files.notices(), [], "it is said once");
        files.add(lesson("A")).unwrap();
        assert_eq!(LessonFiles::new(folder.path()).lessons().len(), 1);
    }
    let kept = fs::read_dir(folder.path()).unwrap().flatten();
    let kept = kept.filter(|entry| entry.file_name().to_string_lossy().contains(".damaged-")).count();
    assert_eq!(kept, 6, "none replaced another");
}

#[test]
fn a_file_of_a_newer_release_is_left_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(LEARNED_FILE);
    let text = "{\"version\": 9, \"lessons\": \"in another form\"}";
    fs::write(&path, text).unwrap();
    let files = LessonFiles::new(folder.path());
    assert!(files.lessons().is_empty());
    assert!(
        matches!(files.notices().as_slice(), [LessonNotice::Unusable { problem, .. }] if problem.contains("version 9"))
    );
    assert!(matches!(files.add(lesson("A")), Err(LessonError::NewerFormat { found: 9, .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn what_another_process_learned_or_wrote_is_seen_at_once() {
    let folder = TempDir::new().unwrap();
    let (one, other) = (LessonFiles::new(folder.path()), LessonFiles::new(folder.path()));
    assert!(one.lessons().is_empty() && other.lessons().is_empty());
    for number in 1..20 {
        let (writer, reader) = if number % 2 == 0 { (&one, &other) } else { (&other, &one) };
        writer.add(lesson(&format!("T{number}"))).unwrap();
        assert_eq!(reader.lessons().len(), number);
    }
    fs::write(folder.path().join(HAND_WRITTEN_FILE), "table_mappings: [{schema_name: T1, actual_name: Z}]")
        .unwrap();
    assert_eq!(one.lessons().len(), 20);
    fs::write(folder.path().join(HAND_WRITTEN_FILE), "table_mappings: [{schema_name: T1}]\n").unwrap();
    assert_eq!(one.lessons().len(), 19);
    assert!(
        matches!(one.notices().as_slice(), [LessonNotice::NotUnderstood { place, .. }] if place == "table_mappings[0]")
    );
}

#[test]
fn lessons_are_removed_by_whoever_made_them() {
    let folder = TempDir::new().unwrap();
    fs::write(
        folder.path().join(HAND_WRITTEN_FILE),
        "table_mappings: [{schema_name: Shared, actual_name: PROD_Shared, database: shop}]",
    )
    .unwrap();
    let files = LessonFiles::new(folder.path());
    files.add(lesson("A")).unwrap();
    let effects = files.remove(&lesson("A").id).unwrap().effects;
    assert_eq!(effects, [Effect::Removed { id: lesson("A").id }]);
    assert!(matches!(files.remove(&lesson("A").id), Err(LessonError::Unknown { .. })));
    assert!(matches!(files.remove(&shared().id), Err(LessonError::HandWritten { .. })));
}

#[test]
fn a_lock_that_is_held_is_waited_for_and_then_reported() {
    let folder = TempDir::new().unwrap();
    let files = LessonFiles::new(folder.path()).waiting(Duration::from_millis(50));
    files.add(lesson("A")).unwrap();
    let lock = fs::File::open(folder.path().join("learned_lessons.lock")).unwrap();
    lock.lock().unwrap();
    assert!(matches!(files.add(lesson("B")), Err(LessonError::Locked { .. })));
    assert_eq!(files.lessons().len(), 1, "reading needs no lock");
    drop(lock);
    files.add(lesson("B")).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn no_room_and_no_folder_give_typed_errors_and_the_program_goes_on() {
    // A folder that cannot be made, whoever runs the test.
    let files = LessonFiles::new("/proc/sqlogue-lessons");
    assert!(files.lessons().is_empty());
    assert!(files.add(lesson("A")).is_err());
    let blocked = TempDir::new().unwrap();
    fs::write(blocked.path().join("file"), "").unwrap();
    let files = LessonFiles::new(blocked.path().join("file"));
    assert!(matches!(files.add(lesson("A")), Err(LessonError::Io { .. })));
    assert!(files.lessons().is_empty());
}
