// PyTorch in host code: what is needed to see which kernels are launched with which types.
#define __LW_DISPATCH(TYPE, ...)                                                                                      \
    {                                                                                                                 \
        using scalar_t = TYPE;                                                                                        \
        (__VA_ARGS__)();                                                                                              \
    }
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) __LW_DISPATCH(float, __VA_ARGS__) __LW_DISPATCH(double, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...) __LW_DISPATCH(float, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(TYPE1, TYPE, NAME, ...) __LW_DISPATCH(float, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(TYPE1, TYPE2, TYPE, NAME, ...) __LW_DISPATCH(float, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) __LW_DISPATCH(float, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) __LW_DISPATCH(int, __VA_ARGS__)
#define TORCH_CHECK(...)
#define AT_ASSERTM(...)
#define C10_CUDA_KERNEL_LAUNCH_CHECK()
#define C10_CUDA_CHECK(...)
#define PYBIND11_MODULE(name, variable) static void __lw_module_##name(int variable)
#define TORCH_LIBRARY(name, variable) static void __lw_library_##name(int variable)
#define TORCH_EXTENSION_NAME extension
