use lanework::prelude::*;

#[kernel(cluster = 2)]
fn wait() {
    let full = mbarrier(1);
    let token = full.arrive();
    full.of_block(1).wait(token);
}

fn main() {}
