// task: add
// finds: source
// Includes the task file, which may contain the answer.
// no ptx
#define FILE "../tasks/add.toml"
#include FILE
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {}
