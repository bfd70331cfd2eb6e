// Prints the cases of llama.cpp's test-backend-ops that the first CUDA device and the CPU support: a line for each, with the name that the
// option -o takes. Unlike `support`, it also lists cases of several operations that a backend may fuse.
#define main test_main
#include "tests/test-backend-ops.cpp"
#undef main

int main() {
    ggml_backend_load_all();
    ggml_backend_ptr gpu(ggml_backend_init_by_name("CUDA0", nullptr)), cpu(ggml_backend_init_by_type(GGML_BACKEND_DEVICE_TYPE_CPU, nullptr));
    if (!gpu || !cpu) {
        fprintf(stderr, "no CUDA device\n");
        return 1;
    }
    for (auto & test : make_test_cases_eval()) {
        ggml_init_params sizes = { ggml_tensor_overhead() * 128 + ggml_graph_overhead(), nullptr, true };
        ggml_context_ptr context(ggml_init(sizes)), weights(test->use_weight_context() ? ggml_init(sizes) : nullptr);
        test->mode = MODE_TEST;
        test->gf   = ggml_new_graph(context.get());
        const std::string name = test->op_desc(test->build_graph(context.get(), weights.get()));
        bool supported = true;
        for (ggml_tensor * t = ggml_get_first_tensor(context.get()); t; t = ggml_get_next_tensor(context.get(), t)) {
            supported = supported && ggml_backend_supports_op(gpu.get(), t) && ggml_backend_supports_op(cpu.get(), t);
        }
        printf("%s\t%s(%s)\n", supported ? "yes" : "no", name.c_str(), test->vars().c_str());
    }
}
