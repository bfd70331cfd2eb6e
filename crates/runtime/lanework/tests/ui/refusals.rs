//! Everything that the attributes refuse and no other file here shows.

use lanework::prelude::*;

#[kernel]
async fn asynchronous(y: &mut [f32]) {
    y[0] = 1.0;
}

#[kernel]
const fn constant(y: &mut [f32]) {
    y[0] = 1.0;
}

#[kernel]
extern "C" fn foreign(y: &mut [f32]) {
    y[0] = 1.0;
}

#[kernel]
fn lifetimes<'a>(y: &'a mut [f32]) {
    y[0] = 1.0;
}

#[kernel]
unsafe fn not_safe(y: &mut [f32]) {
    y[0] = 1.0;
}

#[kernel]
fn mutable_constant(#[constant] mut n: u32, y: &mut [u32]) {
    y[0] = n;
}

#[kernel]
fn attribute_of_parameter(#[inline] n: u32, y: &mut [u32]) {
    y[0] = n;
}

#[kernel]
fn text(name: &str, y: &mut [u32]) {
    y[0] = 1;
}

#[kernel]
fn pointer(x: *const f32, y: &mut [f32]) {
    y[0] = 1.0;
}

#[kernel(block = 32, block = 64)]
fn given_twice(y: &mut [f32]) {
    y[0] = 1.0;
}

#[device(32)]
fn with_arguments(x: f32) -> f32 {
    x
}

#[device]
static TABLE: [f32; 2] = [1.0, 2.0];

#[device]
fn returns_nothing(x: f32) -> f32 {
    if x > 1.0 {
        return;
    }
    x
}

#[kernel]
fn collects(x: &[f32], y: &mut [f32]) {
    let all = x.iter().map(|v| v + 1.0).collect::<Vec<f32>>();
    y[0] = all[0];
}

#[device]
enum BorrowsData {
    Of(&'static f32),
    None,
}

#[device]
enum Generic<T> {
    One,
}

#[device]
enum Empty {}

#[device]
#[repr(C)]
enum OfC {
    One,
}

#[device]
struct Borrows {
    of: &'static f32,
}

#[device]
#[repr(C, packed)]
struct Packed {
    byte: u8,
    word: u32,
}

#[device]
#[derive(Clone, Copy)]
struct Pair {
    x: f32,
    y: f32,
}

#[device]
impl Pair {
    made!();
}

#[device]
impl &Pair {
    fn sum(self) -> f32 {
        self.x + self.y
    }
}

#[device]
impl std::ops::Add<&Pair> for Pair {
    type Output = Pair;
    fn add(self, other: &Pair) -> Pair {
        self
    }
}

#[kernel]
fn statements(y: &mut [f32], x: f32) {
    static INNER: u32 = 0;
    let (p, q);
    let late: f32;
    if x > 1.0 {
        late = x;
    }
    y[1] = late;
    #[inline]
    for i in 0..4 {
        y[i] = x;
    }
    for i in ..4 {
        y[i] = x;
    }
    for 3 in [1, 2] {
        y[0] = x;
    }
    y[0..2] = x;
    x + 1.0 = x;
    (|| x)() + 1.0;
    vec![1.0];
    println!("{}");
    println!("a", x);
    println!("{:^5}", x);
    ptx!("mov.f32 {}, {x};", out(f32));
    ptx!("mov.f32 {}, {};", inout(f32), in(x));
    assert!();
    assert_eq!(x);
    let later = async { 1 };
    let tried = x?;
    let reference = &mut (x + 1.0);
    let pair = <Pair as Copy>::Pair { x: 1.0, y: 2.0 };
    let yielded = yield x;
    let text = "text";
}

#[kernel]
fn patterns(y: &mut [u32], x: u32, z: u32) {
    while x > 1 && let 3 = z {
        y[0] = 1;
    }
    let chosen = x == 1 && (let 2 = z);
    match "text" {
        "text" => y[0] = 1,
        _ => {}
    }
    match (x, z, 3) {
        (1, .., 3) => y[0] = 1,
        _ => {}
    }
    match x {
        ref a => y[0] = a,
    }
    y[0] = [first, second][0](x);
    match x {
        matches!() => {}
        _ => {}
    }
    let closed = async |a: u32| a;
    let returning = |a: u32| {
        if a == 0 {
            return 1;
        }
        a
    };
}

fn main() {}

#[device]
trait Operation<T> {
    fn of(a: T) -> T;
}

#[kernel]
fn spelt_as_in_cuda(y: &mut [u32]) {
    let i = threadIdx.x;
    __syncthreads();
    atomicAdd(&mut y[0], __popc(i));
}

#[kernel]
fn converted(y: &mut [u32]) {
    y[0] = (thread_idx.x > 3).into();
}

static mut COUNTER: u32 = 0;

#[kernel]
fn counted(y: &mut [u32]) {
    COUNTER += 1;
    y[0] = u32::from(thread_idx.x as u8 == b'a');
}

#[device]
fn applied(f: &dyn Fn(f32) -> f32, x: f32) -> f32 {
    f(x)
}

static HITS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

#[device]
fn counted_on_host(x: u32) -> u32 {
    let cell = std::cell::Cell::new(x);
    HITS.load(std::sync::atomic::Ordering::Relaxed)
}
