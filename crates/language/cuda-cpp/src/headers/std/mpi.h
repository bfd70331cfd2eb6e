// <mpi.h>: MPI for a program of one process, as `./program` runs without `mpirun`. Messages go from the process to itself.
typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Op;
typedef int MPI_Info;
typedef long MPI_Aint;
struct MPI_Status { int MPI_SOURCE, MPI_TAG, MPI_ERROR; size_t __bytes; };
// A posted receive; null once it is complete.
struct __lw_mpi_message { void *data; size_t bytes; int tag; MPI_Status status; bool done; __lw_mpi_message *next; };
typedef __lw_mpi_message *MPI_Request;
#define MPI_SUCCESS 0
#define MPI_ERR_OTHER 15
#define MPI_COMM_NULL 0
#define MPI_COMM_WORLD 1
#define MPI_COMM_SELF 2
#define MPI_COMM_TYPE_SHARED 1
#define MPI_INFO_NULL 0
#define MPI_REQUEST_NULL ((MPI_Request)nullptr)
#define MPI_STATUS_IGNORE ((MPI_Status *)nullptr)
#define MPI_STATUSES_IGNORE ((MPI_Status *)nullptr)
#define MPI_IN_PLACE ((void *)-1)
#define MPI_ANY_SOURCE -1
#define MPI_ANY_TAG -1
#define MPI_PROC_NULL -2
#define MPI_ROOT -3
#define MPI_UNDEFINED -32766
#define MPI_MAX_PROCESSOR_NAME 256
#define MPI_MAX_ERROR_STRING 256
#define MPI_THREAD_SINGLE 0
#define MPI_THREAD_FUNNELED 1
#define MPI_THREAD_SERIALIZED 2
#define MPI_THREAD_MULTIPLE 3
// The low 8 bits of a type are its size.
#define MPI_DATATYPE_NULL 0
#define MPI_BYTE 0x001
#define MPI_CHAR 0x101
#define MPI_SIGNED_CHAR 0x201
#define MPI_UNSIGNED_CHAR 0x301
#define MPI_CXX_BOOL 0x401
#define MPI_C_BOOL 0x401
#define MPI_INT8_T 0x201
#define MPI_UINT8_T 0x301
#define MPI_SHORT 0x102
#define MPI_UNSIGNED_SHORT 0x202
#define MPI_INT16_T 0x102
#define MPI_UINT16_T 0x202
#define MPI_INT 0x104
#define MPI_UNSIGNED 0x204
#define MPI_FLOAT 0x304
#define MPI_INT32_T 0x104
#define MPI_UINT32_T 0x204
#define MPI_LONG 0x108
#define MPI_UNSIGNED_LONG 0x208
#define MPI_LONG_LONG 0x308
#define MPI_LONG_LONG_INT 0x308
#define MPI_UNSIGNED_LONG_LONG 0x408
#define MPI_DOUBLE 0x508
#define MPI_INT64_T 0x108
#define MPI_UINT64_T 0x208
#define MPI_AINT 0x108
#define MPI_FLOAT_INT 0x608
#define MPI_2INT 0x708
#define MPI_DOUBLE_INT 0x110
enum { MPI_MAX = 1, MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC };
inline int __lw_mpi_state; // 1 after MPI_Init, 2 after MPI_Finalize
inline __lw_mpi_message *__lw_mpi_sent, *__lw_mpi_posted;
inline size_t __lw_mpi_bytes(int count, MPI_Datatype type) { return (size_t)count * (type & 0xff); }
inline int MPI_Init(int *, char ***) { __lw_mpi_state = 1; return MPI_SUCCESS; }
inline int MPI_Init_thread(int *, char ***, int wanted, int *given) { *given = wanted; __lw_mpi_state = 1; return MPI_SUCCESS; }
inline int MPI_Initialized(int *flag) { *flag = __lw_mpi_state > 0; return MPI_SUCCESS; }
inline int MPI_Finalized(int *flag) { *flag = __lw_mpi_state > 1; return MPI_SUCCESS; }
inline int MPI_Finalize() { __lw_mpi_state = 2; return MPI_SUCCESS; }
inline int MPI_Abort(MPI_Comm, int code) { exit(code); return MPI_SUCCESS; }
inline int MPI_Comm_rank(MPI_Comm, int *rank) { *rank = 0; return MPI_SUCCESS; }
inline int MPI_Comm_size(MPI_Comm, int *size) { *size = 1; return MPI_SUCCESS; }
inline int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *to) { *to = comm; return MPI_SUCCESS; }
inline int MPI_Comm_split(MPI_Comm comm, int color, int, MPI_Comm *to) { *to = color == MPI_UNDEFINED ? MPI_COMM_NULL : comm; return MPI_SUCCESS; }
inline int MPI_Comm_split_type(MPI_Comm comm, int, int, MPI_Info, MPI_Comm *to) { *to = comm; return MPI_SUCCESS; }
inline int MPI_Comm_free(MPI_Comm *comm) { *comm = MPI_COMM_NULL; return MPI_SUCCESS; }
inline int MPI_Barrier(MPI_Comm) { return MPI_SUCCESS; }
inline double MPI_Wtime() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}
inline double MPI_Wtick() { return 1e-9; }
inline int MPI_Type_size(MPI_Datatype type, int *size) { *size = type & 0xff; return MPI_SUCCESS; }
inline int MPI_Get_processor_name(char *name, int *length) { strcpy(name, "localhost"); *length = 9; return MPI_SUCCESS; }
inline int MPI_Error_string(int status, char *text, int *length) {
    *length = snprintf(text, MPI_MAX_ERROR_STRING, status ? "MPI error %d" : "MPI_SUCCESS", status);
    return MPI_SUCCESS;
}
inline int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count) {
    *count = (int)(status->__bytes / (type & 0xff));
    return MPI_SUCCESS;
}
// Messages may be in device memory, so CUDA copies them.
inline void __lw_mpi_copy(void *to, const void *from, size_t bytes) {
    if (bytes > 0 && to != from) cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
}
// Takes the first element of a list that has the tag.
inline __lw_mpi_message *__lw_mpi_take(__lw_mpi_message **list, int tag) {
    for (; *list; list = &(*list)->next) {
        __lw_mpi_message *found = *list;
        if (found->tag != tag && tag != MPI_ANY_TAG && found->tag != MPI_ANY_TAG) continue;
        *list = found->next;
        return found;
    }
    return nullptr;
}
inline void __lw_mpi_append(__lw_mpi_message **list, __lw_mpi_message *last) {
    last->next = nullptr;
    while (*list) list = &(*list)->next;
    *list = last;
}
inline void __lw_mpi_deliver(__lw_mpi_message *to, const void *data, size_t bytes, int tag) {
    __lw_mpi_copy(to->data, data, bytes < to->bytes ? bytes : to->bytes);
    to->status = {0, tag, MPI_SUCCESS, bytes};
    to->done = true;
}
inline int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm, MPI_Request *request) {
    *request = MPI_REQUEST_NULL;
    if (to == MPI_PROC_NULL) return MPI_SUCCESS;
    if (to != 0) {
        fprintf(stderr, "MPI: there is no rank %d: the program runs as one process\n", to);
        exit(1);
    }
    size_t bytes = __lw_mpi_bytes(count, type);
    if (__lw_mpi_message *posted = __lw_mpi_take(&__lw_mpi_posted, tag)) {
        __lw_mpi_deliver(posted, data, bytes, tag);
        return MPI_SUCCESS;
    }
    __lw_mpi_message *sent = new __lw_mpi_message;
    sent->data = malloc(bytes + 1);
    sent->bytes = bytes;
    sent->tag = tag;
    __lw_mpi_copy(sent->data, data, bytes);
    __lw_mpi_append(&__lw_mpi_sent, sent);
    return MPI_SUCCESS;
}
inline int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm, MPI_Request *request) {
    *request = MPI_REQUEST_NULL;
    if (from == MPI_PROC_NULL) return MPI_SUCCESS;
    if (from > 0) {
        fprintf(stderr, "MPI: there is no rank %d: the program runs as one process\n", from);
        exit(1);
    }
    __lw_mpi_message *posted = new __lw_mpi_message;
    posted->data = data;
    posted->bytes = __lw_mpi_bytes(count, type);
    posted->tag = tag;
    posted->done = false;
    *request = posted;
    if (__lw_mpi_message *sent = __lw_mpi_take(&__lw_mpi_sent, tag)) {
        __lw_mpi_deliver(posted, sent->data, sent->bytes, sent->tag);
        free(sent->data);
        delete sent;
    } else {
        __lw_mpi_append(&__lw_mpi_posted, posted);
    }
    return MPI_SUCCESS;
}
inline int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    if (!*request) return MPI_SUCCESS;
    if (!(*request)->done) {
        fprintf(stderr, "MPI: a receive waits for a message that the only process has not sent\n");
        exit(1);
    }
    if (status) *status = (*request)->status;
    delete *request;
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}
inline int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
    for (int i = 0; i < count; i++) MPI_Wait(&requests[i], statuses ? &statuses[i] : nullptr);
    return MPI_SUCCESS;
}
inline int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    *flag = !*request || (*request)->done;
    return *flag ? MPI_Wait(request, status) : MPI_SUCCESS;
}
inline int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    MPI_Request request;
    return MPI_Isend(data, count, type, to, tag, comm, &request);
}
inline int MPI_Ssend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return MPI_Send(data, count, type, to, tag, comm);
}
inline int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
    MPI_Request request;
    MPI_Irecv(data, count, type, from, tag, comm, &request);
    return MPI_Wait(&request, status);
}
inline int MPI_Sendrecv(const void *data, int count, MPI_Datatype type, int to, int tag, void *into, int room, MPI_Datatype kind, int from,
                        int expected, MPI_Comm comm, MPI_Status *status) {
    MPI_Request request;
    MPI_Irecv(into, room, kind, from, expected, comm, &request);
    MPI_Send(data, count, type, to, tag, comm);
    return MPI_Wait(&request, status);
}
// With one process, each collective operation copies the process's own part.
inline int __lw_mpi_own(const void *from, void *to, int count, MPI_Datatype type) {
    if (from != MPI_IN_PLACE && to != MPI_IN_PLACE) __lw_mpi_copy(to, from, __lw_mpi_bytes(count, type));
    return MPI_SUCCESS;
}
inline int MPI_Bcast(void *, int, MPI_Datatype, int, MPI_Comm) { return MPI_SUCCESS; }
inline int MPI_Reduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op, int, MPI_Comm) { return __lw_mpi_own(from, to, count, type); }
inline int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op, MPI_Comm) { return __lw_mpi_own(from, to, count, type); }
inline int MPI_Scan(const void *from, void *to, int count, MPI_Datatype type, MPI_Op, MPI_Comm) { return __lw_mpi_own(from, to, count, type); }
inline int MPI_Gather(const void *from, int count, MPI_Datatype type, void *to, int, MPI_Datatype, int, MPI_Comm) { return __lw_mpi_own(from, to, count, type); }
inline int MPI_Allgather(const void *from, int count, MPI_Datatype type, void *to, int, MPI_Datatype, MPI_Comm) { return __lw_mpi_own(from, to, count, type); }
inline int MPI_Scatter(const void *from, int, MPI_Datatype, void *to, int count, MPI_Datatype type, int, MPI_Comm) { return __lw_mpi_own(from, to, count, type); }
inline int MPI_Alltoall(const void *from, int count, MPI_Datatype type, void *to, int, MPI_Datatype, MPI_Comm) { return __lw_mpi_own(from, to, count, type); }
inline int __lw_mpi_at(const void *from, int from_offset, void *to, int to_offset, int count, MPI_Datatype type) {
    size_t size = type & 0xff;
    if (from == MPI_IN_PLACE || to == MPI_IN_PLACE) return MPI_SUCCESS;
    return __lw_mpi_own((const char *)from + from_offset * size, (char *)to + to_offset * size, count, type);
}
inline int MPI_Gatherv(const void *from, int count, MPI_Datatype type, void *to, const int *, const int *offsets, MPI_Datatype, int, MPI_Comm) {
    return __lw_mpi_at(from, 0, to, offsets[0], count, type);
}
inline int MPI_Allgatherv(const void *from, int count, MPI_Datatype type, void *to, const int *, const int *offsets, MPI_Datatype, MPI_Comm) {
    return __lw_mpi_at(from, 0, to, offsets[0], count, type);
}
inline int MPI_Scatterv(const void *from, const int *, const int *offsets, MPI_Datatype, void *to, int count, MPI_Datatype type, int, MPI_Comm) {
    return __lw_mpi_at(from, offsets[0], to, 0, count, type);
}
inline int MPI_Alltoallv(const void *from, const int *counts, const int *offsets, MPI_Datatype type, void *to, const int *, const int *places,
                         MPI_Datatype, MPI_Comm) {
    return __lw_mpi_at(from, offsets[0], to, places[0], counts[0], type);
}
