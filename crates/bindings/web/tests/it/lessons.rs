//! Lessons: each fails with the kernel that it shows, and its solution solves it.

use super::ask;
use serde_json::{Value, json};

fn solved(name: &Value, source: &str) -> Value {
    ask(&json!({ "do": "solve", "lesson": name, "source": source }))
}

#[test]
fn exercises_fail_unchanged_and_pass_when_solved() {
    let lessons = ask(&json!({ "do": "lessons" }));
    let lessons = lessons.as_array().expect("lessons").clone();
    let exercises = lanework_exercises::all();
    for (lesson, exercise) in lessons.iter().zip(&exercises) {
        let answer = solved(&lesson["name"], exercise.source);
        assert_eq!(answer["solved"], false, "{}: {answer}", exercise.title);
        assert!(!answer["why"].as_str().expect("text").is_empty());
        let (flaw, fix) = exercise.solution;
        let answer = solved(&lesson["name"], &exercise.source.replace(flaw, fix));
        assert_eq!(answer["solved"], true, "{}: {answer}", exercise.title);
    }
}

#[test]
fn every_rung_is_missed_by_the_rung_before_and_solved_by_its_own_kernel() {
    let lessons = ask(&json!({ "do": "lessons" }));
    let rungs = lessons.as_array().expect("lessons").iter().filter(|one| one["ladder"].is_object());
    let mut count = 0;
    for rung in rungs {
        let source = |key: &str| rung[key].as_str().expect("a source").to_owned();
        let answer = solved(&rung["name"], &source("solution"));
        assert_eq!(answer["solved"], true, "{}: {answer}", rung["name"]);
        // A ladder starts with its first rung.
        if source("source") != source("solution") {
            let answer = solved(&rung["name"], &source("source"));
            assert_eq!(answer["solved"], false, "{}: {answer}", rung["name"]);
            assert!(!answer["why"].as_str().expect("text").is_empty(), "{answer}");
            count += 1;
        }
    }
    assert_eq!(count, 24);
}

#[test]
fn a_rung_is_counted_at_one_size_and_predicted_at_another() {
    let lessons = ask(&json!({ "do": "lessons" }));
    let lessons = lessons.as_array().expect("lessons");
    let measured = |name: &str| {
        let rung = lessons.iter().find(|one| one["name"] == name).expect("the rung");
        let answer = ask(&json!({ "do": "rung", "lesson": name, "source": rung["solution"] }));
        let sectors = answer["profile"]["counters"]["global_store"]["sectors"].as_f64();
        let time = answer["prediction"]["predicted_ns"].as_f64();
        (sectors.expect("sectors"), time.unwrap_or_else(|| panic!("{answer}")))
    };
    let (before, after) = (measured("transpose/direct"), measured("transpose/unpadded"));
    assert_eq!(before.0 / after.0, 8.0);
    assert!(before.1 > 1.5 * after.1 && before.1 > 20_000.0, "{before:?} {after:?}");
}

#[test]
fn wrong_results_of_a_rung_are_named() {
    let name = json!("hello/threads");
    let source = "#include <cstdio>\n__global__ void hello() { printf(\"Hello\\n\"); }\n";
    let answer = solved(&name, source);
    assert_eq!(answer["why"], "the kernel should not print `Hello`", "{answer}");
    let answer = solved(&name, "__global__ void hello() {}\n");
    assert!(
        answer["why"].as_str().expect("text").contains("does not print `Hello World"),
        "{answer}"
    );
    let source = "__global__ void sum_squares(const int *x, int *sums, int n) { sums[0] = x[0]; }";
    let answer = solved(&json!("sum-squares/one-thread"), source);
    assert!(
        answer["why"].as_str().expect("text").starts_with("the sum of the result is "),
        "{answer}"
    );
    let answer = solved(&json!("no/lesson"), source);
    assert_eq!(answer["error"], "there is no lesson `no/lesson`");
}
