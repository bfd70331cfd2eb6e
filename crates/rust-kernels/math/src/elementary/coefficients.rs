//! Coefficients and constants, computed by `scripts/minimax.py`; lowest power first.

use crate::real::{Pair, Polynomial};

/// Constants by the bits of their `f32` and their `f64`.
macro_rules! pairs {
    ($($(#[$doc:meta])* $name:ident = $single:literal, $double:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) const $name: Pair =
            Pair { single: f32::from_bits($single), double: f64::from_bits($double) };
    )*};
}

/// Polynomials by the bits of their coefficients.
macro_rules! polynomials {
    ($($(#[$doc:meta])* $name:ident { $($single:literal)* } { $($double:literal)* })*) => {$(
        $(#[$doc])*
        pub(crate) const $name: Polynomial = Polynomial {
            single: &[$(f32::from_bits($single)),*],
            double: &[$(f64::from_bits($double)),*],
        };
    )*};
}

pairs! {
    /// log2(e).
    LOG2_E = 0x3fb8aa3b, 0x3ff71547652b82fe;
    /// log2(e) less `LOG2_E`.
    LOG2_E_LOW = 0x32a57060, 0x3c7777d0ffda0d24;
    /// ln(2).
    LN_2 = 0x3f317218, 0x3fe62e42fefa39ef;
    /// ln(2) less `LN_2`.
    LN_2_LOW = 0xb102e308, 0x3c7abc9e3b39803f;
    /// log10(e).
    LOG10_E = 0x3ede5bd9, 0x3fdbcb7b1526e50e;
    /// log10(e) less `LOG10_E`.
    LOG10_E_LOW = 0xb22d91af, 0x3c695355baaafad3;
    /// pi.
    PI = 0x40490fdb, 0x400921fb54442d18;
    /// pi less `PI`.
    PI_LOW = 0xb3bbbd2e, 0x3ca1a62633145c07;
    /// pi/2.
    FRAC_PI_2 = 0x3fc90fdb, 0x3ff921fb54442d18;
    /// pi/2 less `FRAC_PI_2`.
    FRAC_PI_2_LOW = 0xb33bbd2e, 0x3c91a62633145c07;
    /// 2/3.
    TWO_THIRDS = 0x3f2aaaab, 0x3fe5555555555555;
    /// 2/3 less `TWO_THIRDS`.
    TWO_THIRDS_LOW = 0xb2aaaaab, 0x3c85555555555555;
    /// 2/5.
    TWO_FIFTHS = 0x3ecccccd, 0x3fd999999999999a;
    /// 2/5 less `TWO_FIFTHS`.
    TWO_FIFTHS_LOW = 0xb1cccccd, 0xbc7999999999999a;
    /// 2/pi.
    FRAC_2_PI = 0x3f22f983, 0x3fe45f306dc9c883;
    /// ln(2), short enough that its product with an exponent is exact.
    LN_2_SHORT = 0x3f317200, 0x3fe62e42fefa4000;
    /// ln(2) less `LN_2_SHORT`.
    LN_2_REST = 0x35bfbe8e, 0xbd48432a1b0e2634;
    /// log10(2), short enough that its product with an exponent is exact.
    LOG10_2_SHORT = 0x3e9a2000, 0x3fd34413509f8000;
    /// log10(2) less `LOG10_2_SHORT`.
    LOG10_2_REST = 0x369a84fc, 0xbd380433b83b532a;
    /// Part 1 of pi/2.
    PI_PART_1 = 0x3fc90fdb, 0x3ff921fb54442d18;
    /// Part 2 of pi/2.
    PI_PART_2 = 0xb33bbd2e, 0x3c91a62633145c07;
    /// Part 3 of pi/2.
    PI_PART_3 = 0xa6f72ced, 0xb91f1976b7ed8fbc;
}

/// The bits of 2/pi after the point, 32 a word, most significant first, after a word of zeros.
pub const TWO_OVER_PI_SINGLE: &[u32] = &[
    0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
];

/// The bits of 2/pi after the point, 64 a word, most significant first, after a word of zeros.
#[rustfmt::skip]
pub const TWO_OVER_PI_DOUBLE: &[u64] = &[
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
    0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
];

polynomials! {
    /// (exp(r) - 1 - r) / r^2, |r| <= ln(2)/2; error 2^-26.0 (f32), 2^-61.5 (f64).
    EXP {
        0x3effffff 0x3e2aaa56 0x3d2aab88 0x3c091575 0x3ab5c069
    } {
        0x3fe0000000000000 0x3fc5555555555559 0x3fa555555555554b 0x3f8111111110f600
        0x3f56c16c16c1b958 0x3f2a01a01b03dc08 0x3efa01a0189d8d06 0x3ec71ddf7485cd3b
        0x3e927e51b2625a8f 0x3e5af60d5dac1c69 0x3e21f0fe2e0304c4
    }
    /// (2^r - 1) / r, |r| <= 1/2; error 2^-28.2 (f32), 2^-57.8 (f64).
    EXP2 {
        0x3f317218 0x3e75fdf0 0x3d6357bb 0x3c1d951f 0x3aaf85d6 0x392217e9
    } {
        0x3fe62e42fefa39ef 0x3fcebfbdff82c5a2 0x3fac6b08d704a162 0x3f83b2ab6fba04f9
        0x3f55d87fe788fd54 0x3f24309130e49bff 0x3eeffcbfcb97aebc 0x3eb62bfc8abbc62d
        0x3e7b5246740c70f8 0x3e3e619e7845a490 0x3dfea9aeff56b1f3
    }
    /// (ln(1 + f) - f) / f^2, |f| <= 1/3; error 2^-27.6 (f32).
    LN {
        0xbf000000 0x3eaaaa81 0xbe7fff8c 0x3e4ce8e7 0xbe2acba3 0x3e0f5ffe 0xbdf9dd68 0x3e0f660a
        0xbe035437
    } {}
    /// (2 atanh(s) - 2s) / s^3, z = s^2 <= 1/25; error 2^-61.5 (f64).
    LN_RATIO {} {
        0x3fe555555555554f 0x3fd999999999c1bd 0x3fd24924921de5a3 0x3fcc71c7496021ac
        0x3fc745c493df1760 0x3fc3b35f8db20a0f 0x3fc0dc7c25cd627a 0x3fc1b9c1d39ce4a0
    }
    /// (2 atanh(s) / s - 2 - 2/3 z - 2/5 z^2) / z^3, z = s^2 <= 1/25; error 2^-40.3 (f32), 2^-75.0 (f64).
    LN_TAIL {
        0x3e9249b9 0x3e631613 0x3e4999df
    } {
        0x3fd249249249241a 0x3fcc71c71c735e6b 0x3fc745d17346301d 0x3fc3b13b7a06cc56
        0x3fc110fad7195b14 0x3fbe240238adb3ae 0x3fba7b1d8c89707a 0x3fbd83e274d5d12b
    }
    /// (sin(r) - r) / r^3, z = r^2 <= (pi/4)^2; error 2^-27.9 (f32), 2^-63.2 (f64).
    SIN {
        0xbe2aaaa3 0x3c0883bc 0xb94caa00
    } {
        0xbfc5555555555555 0x3f8111111111106d 0xbf2a01a019fff560 0x3ec71de3a352153c
        0xbe5ae642e5330bc1 0x3de610b0406fe6d0 0xbd6a09ba88193b7a
    }
    /// (cos(r) - 1 + z/2) / z^2, z = r^2 <= (pi/4)^2; error 2^-33.0 (f32), 2^-63.9 (f64).
    COS {
        0x3d2aaaa5 0xbab60615 0x37ccf489
    } {
        0x3fa555555555554b 0xbf56c16c16c15018 0x3efa01a019c8f88f 0xbe927e4f7f1da5eb
        0x3e21ee9dbfa5028c 0xbda8fa6954b22e97
    }
    /// (tan(r) - r) / r^3, z = r^2 <= (pi/4)^2; error 2^-29.5 (f32), 2^-59.7 (f64).
    TAN {
        0x3eaaaab0 0x3e0886d0 0x3d5d6ca0 0x3cae6372 0x3c3154ae 0x38d9212a 0x3b8f32c7
    } {
        0x3fd555555555555d 0x3fc11111111106e4 0x3faba1ba1bab1b7f 0x3f9664f485fe3e12
        0x3f8226e3a2b920ca 0x3f6d6d2f55a655ba 0x3f57db0d01267da0 0x3f434c3737c9e07f
        0x3f2fec6c0fe3eaab 0x3f1608855a19c6ec 0x3f11639873f9e33c 0xbef9b564cce1b446
        0x3f09035e5fa7bf5b 0xbef8f93834e5d0d8 0x3ee4565e6ff11cf4
    }
    /// (asin(x) - x) / x^3, z = x^2 <= 1/4; error 2^-27.6 (f32), 2^-59.7 (f64).
    ASIN {
        0x3e2aaae4 0x3d998103 0x3d3a3dc2 0x3cc61f71 0x3d2cae50
    } {
        0x3fc5555555555577 0x3fb333333332e12e 0x3fa6db6db7212ca7 0x3f9f1c71a94b2da7
        0x3f96e8bdeea9ce6d 0x3f91c49ef636c156 0x3f8ca1faae16da88 0x3f87584676ed222e
        0x3f86143f0b31edf7 0x3f6e577363490477 0x3f963c6ec3501678 0xbf9583eb6a7d5657
        0x3fa0b5c881a64721
    }
    /// (atan(x) - x) / x^3, z = x^2 <= 1; error 2^-28.4 (f32), 2^-57.0 (f64).
    ATAN {
        0xbeaaaa9f 0x3e4cc8f4 0xbe12106a 0x3de04867 0xbdac0ceb 0x3d6d3776 0xbcff0eb5 0x3c32735f
        0xbaea6e3b
    } {
        0xbfd5555555555525 0x3fc999999999548d 0xbfc249249237b7af 0x3fbc71c717ef8438
        0xbfb745d11a0382b2 0x3fb3b1365f9d5113 0xbfb110e4c2fe88ad 0x3fae1bb6cd58a85a
        0xbfaae5d77e5b207c 0x3fa82d793cdc44d5 0xbfa599b9429f72d1 0x3fa2c1d764c49bff
        0xbf9e9c5285ea841c 0x3f967fc8ca464f6f 0xbf8c7180b4c4c4b1 0x3f7d711284e3d49d
        0xbf6798e21b2c4bbe 0x3f4b30a81c12d9d7 0xbf23e67af53f6b3f 0x3eebaa4f1072b10c
    }
    /// (tanh(x) - x) / x^3, z = x^2 <= (5/8)^2; error 2^-27.7 (f32), 2^-60.9 (f64).
    TANH {
        0xbeaaaa99 0x3e088381 0xbd5c1c22 0x3ca9078b 0xbbbac1bd
    } {
        0xbfd5555555555552 0x3fc1111111110c52 0xbfaba1ba1b9d1919 0x3f9664f4870c10fb
        0xbf8226e32cf3b045 0x3f6d6d35a26235c5 0xbf57d9c31fd26d13 0x3f4350b7d261246c
        0xbf2f112ccdc16746 0x3f180199a5c9259e 0xbeffabd27faa1c73 0x3ed95f5945d04146
    }
    /// (sinh(x) - x) / x^3, z = x^2 <= 1; error 2^-31.6 (f32), 2^-61.7 (f64).
    SINH {
        0x3e2aaaab 0x3c088871 0x395010b4 0x363ad113
    } {
        0x3fc5555555555556 0x3f81111111111022 0x3f2a01a01a0367df 0x3ec71de3a3ba5136
        0x3e5ae646f6cb8335 0x3de61172b747a9ad 0x3d6b5b7e5b3faeaa
    }
    /// erf(x) / x - 1, z = x^2 <= 1; error 2^-29.3 (f32), 2^-56.7 (f64).
    ERF {
        0x3e0375d4 0xbec0939f 0x3de71678 0xbcdbfc2c 0x3ba9ffc9 0xba51e4b6 0x38a4773a
    } {
        0x3fc06eba8214db69 0xbfd812746b037a1a 0x3fbce2f21a044ef3 0xbf9b82ce31323982
        0x3f7565bcd24c7aea 0xbf4c02db7d5eebef 0x3f1f9a391fe4ff9d 0xbeef4da0acb34a27
        0x3ebba44ada0cc24d 0xbe86263c150c26c0 0x3e50cf8dd107b9e9 0xbe19fc0bc7e68b67
        0x3de0b18413492055
    }
    /// exp(x^2) erfc(x) (1 + 2x), t = (x - K) / (x + K), 1/2 <= x < 11 (f32) or 28 (f64); error 2^-25.8 (f32), 2^-53.2 (f64).
    ERFCX {
        0x3fa37407 0xbdbdfad5 0xbe2a03c9 0x3e27fabb 0xbd5e17f9 0xbc023708 0x3c0eb212 0x3a78e36a
        0xbaaf5ec4
    } {
        0x3ff3ba5916e9fd7f 0xbfc1df1ad154a273 0x3f8f7f5df66f9acc 0x3fb16ecefcfa38ec
        0xbfb9ddb23c3cb14c 0x3fb7fee004e4f047 0xbfb0fb06e01044ac 0x3fa3079edee7f6ba
        0xbf909623805767f9 0x3f749c674e36b022 0xbf48d4b0483207cd 0xbf2a1e0da06cdece
        0x3f23be70642f51c3 0xbef99271d90f95d2 0xbee79981876e6e4b 0x3ed7d4f4dc0a8c3b
        0x3e96f2608962a065 0xbeaa538139f4a45a 0x3e613ca723596e9f 0x3e74346bb2b50d4f
    }
}
