// The helper headers of CUDA's samples, for programs that come without them: error checks, timers and command lines.
#include "lanework/std/string.h"
#define EXIT_WAIVED 2
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp
#define DEVICE_RESET cudaDeviceReset();
inline const char *_cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
template <class T> inline void __lw_check(T result, const char *call, const char *file, int line) {
    if (!result) return;
    fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, (int)result, cudaGetErrorName((cudaError_t)result), call);
    exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) __lw_check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(text) __getLastCudaError(text, __FILE__, __LINE__)
inline void __getLastCudaError(const char *text, const char *file, int line) {
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, text, (int)error, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}
#define printLastCudaError(text) __getLastCudaError(text, __FILE__, __LINE__)
inline int _ConvertSMVer2Cores(int major, int minor) {
    int version = major * 10 + minor;
    return version >= 86 ? 128 : version == 60 || (version >= 70 && version < 86) ? 64 : 128;
}
inline const char *_ConvertSMVer2ArchName(int major, int) {
    return major >= 10 ? "Blackwell" : major == 9 ? "Hopper" : major == 8 ? "Ampere" : major == 7 ? "Volta" : "Pascal";
}
// Arguments as `-name=value` or `--name=value`.
inline const char *__lw_argument(int argc, const char **argv, const char *name) {
    size_t length = strlen(name);
    for (int i = 1; i < argc; i++) {
        const char *text = argv[i];
        while (*text == '-') text++;
        if (strncasecmp(text, name, length) == 0 && (text[length] == '=' || text[length] == 0)) return text + length;
    }
    return nullptr;
}
inline bool checkCmdLineFlag(int argc, const char **argv, const char *name) { return __lw_argument(argc, argv, name) != nullptr; }
inline int getCmdLineArgumentInt(int argc, const char **argv, const char *name) {
    const char *found = __lw_argument(argc, argv, name);
    return found && *found == '=' ? atoi(found + 1) : 0;
}
inline float getCmdLineArgumentFloat(int argc, const char **argv, const char *name) {
    const char *found = __lw_argument(argc, argv, name);
    return found && *found == '=' ? (float)atof(found + 1) : 0.0f;
}
inline bool getCmdLineArgumentString(int argc, const char **argv, const char *name, char **value) {
    const char *found = __lw_argument(argc, argv, name);
    *value = found && *found == '=' ? (char *)found + 1 : nullptr;
    return *value != nullptr;
}
template <class T> inline bool getCmdLineArgumentValue(int argc, const char **argv, const char *name, T *value) {
    const char *found = __lw_argument(argc, argv, name);
    if (found && *found == '=') *value = (T)atof(found + 1);
    return found != nullptr;
}
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int gpuDeviceInit(int device) { checkCudaErrors(cudaSetDevice(device)); return device; }
inline int findCudaDevice(int argc, const char **argv) {
    cudaDeviceProp properties;
    int device = checkCmdLineFlag(argc, argv, "device") ? getCmdLineArgumentInt(argc, argv, "device") : 0;
    checkCudaErrors(cudaSetDevice(device));
    checkCudaErrors(cudaGetDeviceProperties(&properties, device));
    printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, _ConvertSMVer2ArchName(properties.major, properties.minor), properties.major, properties.minor);
    return device;
}
inline int findIntegratedGPU() { return -1; }
inline bool checkCudaCapabilities(int major, int minor) {
    cudaDeviceProp properties;
    checkCudaErrors(cudaGetDeviceProperties(&properties, 0));
    return properties.major > major || (properties.major == major && properties.minor >= minor);
}
struct StopWatchInterface {
    double started, total;
    int sessions;
    bool running;
};
inline double __lw_milliseconds() { return (double)__lw_elapsed() / 1e6; }
inline bool sdkCreateTimer(StopWatchInterface **timer) {
    *timer = (StopWatchInterface *)calloc(1, sizeof(StopWatchInterface));
    return true;
}
inline bool sdkDeleteTimer(StopWatchInterface **timer) { free(*timer); *timer = nullptr; return true; }
inline bool sdkStartTimer(StopWatchInterface **timer) { (*timer)->started = __lw_milliseconds(); (*timer)->running = true; return true; }
inline bool sdkStopTimer(StopWatchInterface **timer) {
    (*timer)->total += __lw_milliseconds() - (*timer)->started;
    (*timer)->sessions++;
    (*timer)->running = false;
    return true;
}
inline bool sdkResetTimer(StopWatchInterface **timer) { (*timer)->total = 0; (*timer)->sessions = 0; (*timer)->started = __lw_milliseconds(); return true; }
inline float sdkGetTimerValue(StopWatchInterface **timer) {
    return (float)((*timer)->total + ((*timer)->running ? __lw_milliseconds() - (*timer)->started : 0.0));
}
inline float sdkGetAverageTimerValue(StopWatchInterface **timer) { return (*timer)->sessions ? (float)((*timer)->total / (*timer)->sessions) : 0.0f; }
inline char *sdkFindFilePath(const char *name, const char *program) {
    const char *folders[] = {"", "./data/", "../data/", "../../../../Common/data/", "../../../Common/data/"};
    std::string beside = program ? program : "";
    size_t slash = beside.rfind('/');
    beside = slash == std::string::npos ? std::string() : beside.substr(0, slash + 1);
    for (int i = 0; i < 10; i++) {
        std::string path = (i < 5 ? std::string() : beside) + folders[i % 5] + name;
        FILE *file = fopen(path.c_str(), "rb");
        if (file) { fclose(file); return strdup(path.c_str()); }
    }
    fprintf(stderr, "\nerror: sdkFindFilePath: file <%s> not found!\n", name);
    return nullptr;
}
template <class T, class S> inline bool compareData(const T *expected, const T *data, unsigned count, S epsilon, float share) {
    unsigned wrong = 0;
    for (unsigned i = 0; i < count; i++) {
        double difference = (double)expected[i] - (double)data[i];
        if (difference > (double)epsilon || difference < -(double)epsilon) wrong++;
    }
    return share == 0.0f ? wrong == 0 : (float)wrong <= share * (float)count;
}
inline bool sdkCompareL2fe(const float *expected, const float *data, unsigned count, float epsilon) {
    float error = 0, norm = 0;
    for (unsigned i = 0; i < count; i++) {
        float difference = expected[i] - data[i];
        error += difference * difference;
        norm += expected[i] * expected[i];
    }
    if (norm < 1e-7f) return false;
    return sqrtf(error) / sqrtf(norm) < epsilon;
}
