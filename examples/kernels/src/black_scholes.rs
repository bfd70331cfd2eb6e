//! European options by the formula of Black and Scholes.

use lanework::prelude::*;

/// The cumulative normal distribution.
#[device]
pub fn normal(x: f32) -> f32 {
    0.5 * (1.0 + (x / 2.0f32.sqrt()).erf())
}

/// The prices of a call and a put.
#[device]
pub fn price(spot: f32, strike: f32, years: f32, rate: f32, volatility: f32) -> (f32, f32) {
    let deviation = volatility * years.sqrt();
    let d1 = ((spot / strike).ln() + (rate + 0.5 * volatility * volatility) * years) / deviation;
    let d2 = d1 - deviation;
    let discounted = strike * (-rate * years).exp();
    let call = spot * normal(d1) - discounted * normal(d2);
    let put = discounted * normal(-d2) - spot * normal(-d1);
    (call, put)
}

/// Prices every option.
#[kernel]
pub fn black_scholes(
    spot: &[f32],
    strike: &[f32],
    years: &[f32],
    call: &mut [f32],
    put: &mut [f32],
    (rate, volatility): (f32, f32),
) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i < spot.len() {
        (call[i], put[i]) = price(spot[i], strike[i], years[i], rate, volatility);
    }
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let n = 500;
    let column = |low: f32, high: f32, seed: usize| -> Vec<f32> {
        crate::values(n + seed)[seed..].iter().map(|v| low + (high - low) * v.abs()).collect()
    };
    let (spot, strike, years) =
        (column(5.0, 30.0, 0), column(1.0, 100.0, 5), column(0.25, 10.0, 9));
    let expected: Vec<(f32, f32)> =
        (0..n).map(|i| price(spot[i], strike[i], years[i], 0.02, 0.3)).collect();
    for device in crate::devices("Black-Scholes") {
        let (s, k, t) = (device.upload(&spot)?, device.upload(&strike)?, device.upload(&years)?);
        let (mut c, mut p) = (device.zeros::<f32>(n)?, device.zeros::<f32>(n)?);
        black_scholes(&s, &k, &t, &mut c, &mut p, (0.02, 0.3))
            .grid(4)
            .block(128)
            .launch(&device)?;
        let (calls, puts): (Vec<_>, Vec<_>) = expected.iter().copied().unzip();
        crate::assert_close(&c.download()?, &calls, 2e-4);
        crate::assert_close(&p.download()?, &puts, 2e-4);
    }
    Ok(())
}
