//! Commands that take long: they can be interrupted, and the session is usable afterwards.

use crate::common::{TestLaunch, plain};
use crossterm::event::KeyCode::Char;
use std::sync::Arc;

/// A launch of about two million steps.
fn long() -> TestLaunch {
    let source = "\
__global__ void count(unsigned* y, unsigned n) {
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++) {
        sum += i;
    }
    y[0] = sum;
}
";
    TestLaunch {
        source: ("count.cu", source.to_owned()),
        shape: (1, 1),
        arrays: vec![vec![0; 4]],
        numbers: vec![200_000],
    }
}

#[test]
fn an_interrupted_run_stops_where_it_was() {
    long().show(plain(), (80, 24), |stage| {
        let control = Arc::clone(stage.console.session.timeline().control());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // The run has started once its step is known.
                while control.step() < 50_000 {
                    std::thread::yield_now();
                }
                control.interrupt();
            });
            // No breakpoint stops this run.
            stage.command("break 6 if i == 7");
            stage.press(Char('c'));
        });
        let (step, steps) =
            (stage.console.session.step(), stage.console.session.timeline().steps());
        assert!(stage.text().contains("interrupted; this is step"), "{}", stage.text());
        assert!(step < steps, "{step} of {steps}");
        // The session goes on.
        stage.keys("n");
        assert!(stage.console.session.step() > step);
        stage.keys(">");
        assert!(stage.text().contains("the launch has ended"), "{}", stage.text());
    });
}

#[test]
fn an_interrupted_search_returns_to_its_step() {
    long().show(plain(), (80, 24), |stage| {
        stage.command("goto 1000");
        stage.command("lanes i");
        let before = stage.text();
        let control = Arc::clone(stage.console.session.timeline().control());
        control.interrupt();
        stage.press(Char('C'));
        assert!(stage.text().contains("interrupted; this is step 1000"), "{}", stage.text());
        assert_eq!(stage.console.session.step(), 1000);
        let same = |text: &str| text.lines().take(20).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(same(&before), same(&stage.text()));
    });
}
