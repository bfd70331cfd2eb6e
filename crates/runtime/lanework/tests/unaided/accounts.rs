//! A bank ledger: each thread applies the entries of one branch to the branch's accounts.
use lanework::prelude::*;

const ACCOUNTS: usize = 4;

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum EntryKind {
    Deposit,
    Withdraw,
    Transfer,
}

#[device]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct BranchEntry {
    kind: EntryKind,
    from: u16,
    to: u16,
    cents: i64,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LedgerError {
    NoSuchAccount(u16),
    Overdrawn { account: u16, missing: i64 },
    NotPositive,
    Frozen(u16),
}

#[device]
impl LedgerError {
    fn code(self) -> (u32, i64) {
        match self {
            LedgerError::NoSuchAccount(account) => (1, account as i64),
            LedgerError::Overdrawn { account, missing } => (2, missing * 100 + account as i64),
            LedgerError::NotPositive => (3, 0),
            LedgerError::Frozen(account) => (4, account as i64),
        }
    }
}

#[device]
fn check(account: u16, frozen: &[bool]) -> Result<usize, LedgerError> {
    match frozen.get(account as usize) {
        None => Err(LedgerError::NoSuchAccount(account)),
        Some(true) => Err(LedgerError::Frozen(account)),
        Some(false) => Ok(account as usize),
    }
}

#[device]
fn take(
    balances: &mut [i64],
    frozen: &[bool],
    account: u16,
    cents: i64,
) -> Result<(), LedgerError> {
    let balance = &mut balances[check(account, frozen)?];
    if *balance < cents {
        return Err(LedgerError::Overdrawn { account, missing: cents - *balance });
    }
    *balance -= cents;
    Ok(())
}

#[device]
fn book(entry: &BranchEntry, balances: &mut [i64], frozen: &[bool]) -> Result<i64, LedgerError> {
    let &BranchEntry { kind, from, to, cents } = entry;
    if cents <= 0 {
        return Err(LedgerError::NotPositive);
    }
    match kind {
        EntryKind::Deposit => balances[check(to, frozen)?] += cents,
        EntryKind::Withdraw => take(balances, frozen, from, cents)?,
        EntryKind::Transfer => {
            let to = check(to, frozen)?;
            take(balances, frozen, from, cents)?;
            balances[to] += cents;
        }
    }
    Ok(cents)
}

#[kernel]
fn ledger(
    entries: &[BranchEntry],
    per_branch: usize,
    frozen: &[bool],
    balances: &mut [i64],
    moved: &mut [i64],
    last: &mut [(u32, i64)],
) {
    let b = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if b >= moved.len() {
        return;
    }
    let frozen = &frozen[b * ACCOUNTS..(b + 1) * ACCOUNTS];
    let balances = &mut balances[b * ACCOUNTS..(b + 1) * ACCOUNTS];
    let mut total = 0;
    let mut error = None;
    for entry in &entries[b * per_branch..][..per_branch] {
        match book(entry, balances, frozen) {
            Ok(cents) => total += cents,
            Err(e) => error = Some(e),
        }
    }
    moved[b] = total;
    last[b] = error.map_or((0, 0), |e| e.code());
}

fn reference(entries: &[BranchEntry], frozen: &[bool], balances: &mut [i64]) -> (i64, (u32, i64)) {
    let (mut total, mut last) = (0, (0, 0));
    for e in entries {
        let needs: Vec<u16> = match e.kind {
            EntryKind::Deposit => vec![e.to],
            EntryKind::Withdraw => vec![e.from],
            EntryKind::Transfer => vec![e.to, e.from],
        };
        let bad = needs.iter().find(|a| **a as usize >= frozen.len() || frozen[**a as usize]);
        if e.cents <= 0 {
            last = (3, 0);
        } else if let Some(&a) = bad {
            last = (if a as usize >= frozen.len() { 1 } else { 4 }, a as i64);
        } else if e.kind != EntryKind::Deposit && balances[e.from as usize] < e.cents {
            last = (2, (e.cents - balances[e.from as usize]) * 100 + e.from as i64);
        } else {
            if e.kind != EntryKind::Deposit {
                balances[e.from as usize] -= e.cents;
            }
            if e.kind != EntryKind::Withdraw {
                balances[e.to as usize] += e.cents;
            }
            total += e.cents;
        }
    }
    (total, last)
}

#[test]
fn ledger_matches() -> lanework::Result<()> {
    let (branches, per_branch) = (50usize, 20usize);
    let mut seed = 12345u32;
    let mut next = |n: u32| {
        seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
        (seed >> 16) % n
    };
    let kinds = [EntryKind::Deposit, EntryKind::Withdraw, EntryKind::Transfer];
    let entries: Vec<BranchEntry> = (0..branches * per_branch)
        .map(|_| BranchEntry {
            kind: kinds[next(3) as usize],
            from: next(5) as u16,
            to: next(5) as u16,
            cents: next(300) as i64 - 5,
        })
        .collect();
    let frozen: Vec<bool> = (0..branches * ACCOUNTS).map(|_| next(8) == 0).collect();
    let mut want_balances: Vec<i64> = (0..branches * ACCOUNTS).map(|_| next(400) as i64).collect();

    let device = Device::emulator().sanitized();
    let mut balances = device.upload(&want_balances)?;
    let mut moved = device.zeros::<i64>(branches)?;
    let mut last = device.zeros::<(u32, i64)>(branches)?;
    ledger(
        &device.upload(&entries)?,
        per_branch,
        &device.upload(&frozen)?,
        &mut balances,
        &mut moved,
        &mut last,
    )
    .grid(1)
    .block(64)
    .launch(&device)?;
    let (moved, last) = (moved.download()?, last.download()?);
    for b in 0..branches {
        let at = b * ACCOUNTS..(b + 1) * ACCOUNTS;
        let mine = &entries[b * per_branch..(b + 1) * per_branch];
        let want = reference(mine, &frozen[at.clone()], &mut want_balances[at]);
        assert_eq!((moved[b], last[b]), want, "branch {b}");
    }
    assert_eq!(balances.download()?, want_balances);
    Ok(())
}
