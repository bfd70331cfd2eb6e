// task: add
// finds: source
// Includes a file by trigraphs, splices and a fake comment.
// no ptx
const char* text = "/*";
%:inc\
lude </etc/hostname>
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {}
// */
