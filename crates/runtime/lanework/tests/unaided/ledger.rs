//! A ledger: every thread applies the entries of one account.
use lanework::prelude::*;

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum LedgerFault {
    Insufficient = 1,
    Frozen,
    OverLimit,
    Unknown,
}

#[device]
#[derive(Clone, Copy)]
enum Action {
    Deposit(i64),
    Withdraw(i64),
    Interest { percent: i64 },
    Freeze,
}

#[device]
#[derive(Clone, Copy)]
#[repr(C)]
struct LedgerEntry {
    kind: u8,
    amount: u32,
}

#[device]
impl LedgerEntry {
    fn action(&self) -> Result<Action, LedgerFault> {
        let amount = i64::from(self.amount);
        Ok(match self.kind {
            b'd' => Action::Deposit(amount),
            b'w' => Action::Withdraw(amount),
            b'i' => Action::Interest { percent: amount },
            b'f' => Action::Freeze,
            _ => return Err(LedgerFault::Unknown),
        })
    }
}

#[device]
trait LedgerPlan {
    const LIMIT: i64;
    const FEE: i64 = 0;
    fn overdraft() -> i64 {
        0
    }
}

struct Basic;
struct Premium;

#[device]
impl LedgerPlan for Basic {
    const LIMIT: i64 = 500;
    const FEE: i64 = 2;
}

#[device]
impl LedgerPlan for Premium {
    const LIMIT: i64 = 5_000;
    fn overdraft() -> i64 {
        1_000
    }
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
struct Account {
    balance: i64,
    applied: u32,
    frozen: bool,
    fault: u8,
}

#[device]
impl Account {
    fn take(&mut self, amount: i64, floor: i64) -> Result<(), LedgerFault> {
        let rest = self.balance - amount;
        if rest < floor {
            return Err(LedgerFault::Insufficient);
        }
        self.balance = rest;
        Ok(())
    }

    fn apply<P: LedgerPlan>(&mut self, entry: &LedgerEntry) -> Result<i64, LedgerFault> {
        let action = entry.action()?;
        if self.frozen {
            return Err(LedgerFault::Frozen);
        }
        match action {
            Action::Deposit(amount) => self.balance += amount,
            Action::Withdraw(amount) if amount > P::LIMIT => return Err(LedgerFault::OverLimit),
            Action::Withdraw(amount) => self.take(amount + P::FEE, -P::overdraft())?,
            Action::Interest { percent } => self.balance += self.balance * percent / 100,
            Action::Freeze => self.frozen = true,
        }
        self.applied += 1;
        Ok(self.balance)
    }
}

#[kernel]
fn settle<P: LedgerPlan>(
    entries: &[LedgerEntry],
    ranges: &[(u32, u32)],
    accounts: &mut [Account],
    peaks: &mut [i64],
) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if i >= accounts.len() {
        return;
    }
    let (start, end) = ranges[i];
    let mut account = accounts[i];
    let mut peak = account.balance;
    for entry in &entries[start as usize..end as usize] {
        match account.apply::<P>(entry) {
            Ok(balance) => peak = peak.max(balance),
            Err(fault) => account.fault = fault as u8,
        }
    }
    accounts[i] = account;
    peaks[i] = peak;
}

fn reference(entries: &[LedgerEntry], limit: i64, fee: i64, floor: i64) -> (Account, i64) {
    let (mut a, mut peak) = (Account::default(), 0);
    for e in entries {
        let n = e.amount as i64;
        let code = if !b"dwif".contains(&e.kind) {
            4
        } else if a.frozen {
            2
        } else if e.kind == b'w' && n > limit {
            3
        } else if e.kind == b'w' && a.balance - n - fee < floor {
            1
        } else {
            0
        };
        if code != 0 {
            a.fault = code;
            continue;
        }
        a.applied += 1;
        match e.kind {
            b'd' => a.balance += n,
            b'w' => a.balance -= n + fee,
            b'i' => a.balance += a.balance * n / 100,
            _ => a.frozen = true,
        }
        peak = peak.max(a.balance);
    }
    (a, peak)
}

#[test]
fn accounts_are_settled() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let kinds = b"dwdwwidwddwx";
    let entries: Vec<LedgerEntry> = (0..1000u32)
        .map(|i| match i % 97 {
            96 => LedgerEntry { kind: b'f', amount: 0 },
            k => LedgerEntry { kind: kinds[(i * 7 % 12) as usize], amount: k * 8 % 701 },
        })
        .collect();
    let ranges: Vec<(u32, u32)> = (0..40).map(|i| (i * 25, i * 25 + 5 + i % 21)).collect();
    let (on_entries, on_ranges) = (device.upload(&entries)?, device.upload(&ranges)?);
    for premium in [false, true] {
        let mut accounts = device.upload(&vec![Account::default(); 40])?;
        let mut peaks = device.zeros::<i64>(40)?;
        let launch = if premium {
            settle::<Premium>(&on_entries, &on_ranges, &mut accounts, &mut peaks)
        } else {
            settle::<Basic>(&on_entries, &on_ranges, &mut accounts, &mut peaks)
        };
        launch.grid(2).block(32).launch(&device)?;
        let (accounts, peaks) = (accounts.download()?, peaks.download()?);
        for (i, &(start, end)) in ranges.iter().enumerate() {
            let mine = &entries[start as usize..end as usize];
            let want =
                if premium { reference(mine, 5000, 0, -1000) } else { reference(mine, 500, 2, 0) };
            assert_eq!((accounts[i], peaks[i]), want, "account {i}");
        }
    }
    Ok(())
}
