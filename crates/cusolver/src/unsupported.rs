//! Functions that are not computed: each says so, and answers `CUSOLVER_STATUS_NOT_SUPPORTED`.

use crate::status::{Status, refuse};
use lanework_standin::call;

macro_rules! unsupported {
    ($why:literal: $($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        #[doc = concat!("cuSOLVER's `", stringify!($name), "`, which is not computed.")]
        pub extern "C" fn $name() -> i32 {
            call(stringify!($name), || refuse(Status::NotSupported, concat!(stringify!($name), " is not computed: ", $why)))
        }
    )*};
}

unsupported! {
    "do it on the host, or by the factors of getrf, potrf, geqrf, syevd or gesvd, which are computed":
    cusolverDnSgebrd cusolverDnDgebrd cusolverDnCgebrd cusolverDnZgebrd
    cusolverDnSgebrd_bufferSize cusolverDnDgebrd_bufferSize cusolverDnCgebrd_bufferSize cusolverDnZgebrd_bufferSize
    cusolverDnSsytrf cusolverDnDsytrf cusolverDnCsytrf cusolverDnZsytrf
    cusolverDnSsytrf_bufferSize cusolverDnDsytrf_bufferSize cusolverDnCsytrf_bufferSize cusolverDnZsytrf_bufferSize
    cusolverDnSsytrd cusolverDnDsytrd cusolverDnChetrd cusolverDnZhetrd
    cusolverDnSsytrd_bufferSize cusolverDnDsytrd_bufferSize cusolverDnChetrd_bufferSize cusolverDnZhetrd_bufferSize
    cusolverDnSsygvd cusolverDnDsygvd cusolverDnChegvd cusolverDnZhegvd
    cusolverDnSsygvd_bufferSize cusolverDnDsygvd_bufferSize cusolverDnChegvd_bufferSize cusolverDnZhegvd_bufferSize
    cusolverDnSsyevdx cusolverDnDsyevdx cusolverDnCheevdx cusolverDnZheevdx
    cusolverDnSsyevdx_bufferSize cusolverDnDsyevdx_bufferSize cusolverDnCheevdx_bufferSize cusolverDnZheevdx_bufferSize
    cusolverDnSgesvdaStridedBatched cusolverDnDgesvdaStridedBatched cusolverDnCgesvdaStridedBatched cusolverDnZgesvdaStridedBatched
    cusolverDnSgesvdaStridedBatched_bufferSize cusolverDnDgesvdaStridedBatched_bufferSize
    cusolverDnCgesvdaStridedBatched_bufferSize cusolverDnZgesvdaStridedBatched_bufferSize
    cusolverDnXgeev cusolverDnXgeev_bufferSize cusolverDnXsyevdx cusolverDnXsyevdx_bufferSize cusolverDnXsytrs cusolverDnXsytrs_bufferSize
    cusolverDnXtrtri cusolverDnXtrtri_bufferSize cusolverDnXgesvdp cusolverDnXgesvdp_bufferSize cusolverDnXgesvdr cusolverDnXgesvdr_bufferSize
    cusolverDnSSgesv cusolverDnDDgesv cusolverDnCCgesv cusolverDnZZgesv
    cusolverDnSSgesv_bufferSize cusolverDnDDgesv_bufferSize cusolverDnCCgesv_bufferSize cusolverDnZZgesv_bufferSize
    cusolverDnSSgels cusolverDnDDgels cusolverDnCCgels cusolverDnZZgels
    cusolverDnSSgels_bufferSize cusolverDnDDgels_bufferSize cusolverDnCCgels_bufferSize cusolverDnZZgels_bufferSize
}

unsupported! {
    "sparse systems are solved on the host, as by SciPy":
    cusolverSpCreate cusolverSpDestroy cusolverSpSetStream cusolverSpGetStream
    cusolverSpScsrlsvqr cusolverSpDcsrlsvqr cusolverSpCcsrlsvqr cusolverSpZcsrlsvqr
    cusolverSpScsrlsvchol cusolverSpDcsrlsvchol cusolverSpCcsrlsvchol cusolverSpZcsrlsvchol
    cusolverSpScsreigvsi cusolverSpDcsreigvsi cusolverSpCcsreigvsi cusolverSpZcsreigvsi
    cusolverRfCreate cusolverRfDestroy
}
