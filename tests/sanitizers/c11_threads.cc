// C11's threads, mutexes and condition variables on top of POSIX ones, linked into programs built with ThreadSanitizer.
//
// librdkafka uses <threads.h>. ThreadSanitizer of g++ 12 knows only the POSIX calls: a thread made with thrd_create has no
// state of its own and crashes at its first malloc, and locks taken with mtx_lock order nothing. glibc's own functions call
// the POSIX ones inside libc, out of its sight; these definitions stand before them in the program, and are seen.
// In glibc mtx_t, cnd_t and thrd_t have the layout of pthread_mutex_t, pthread_cond_t and pthread_t.
#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <cstdint>

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t));

namespace {

pthread_mutex_t* posix(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* posix(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

int result(int error) {
  switch (error) {
    case 0: return thrd_success;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    case EBUSY: return thrd_busy;
    default: return thrd_error;
  }
}

struct Start {
  thrd_start_t function;
  void* argument;
};

void* run(void* data) {
  const Start start = *static_cast<Start*>(data);
  delete static_cast<Start*>(data);
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(start.function(start.argument)));
}

}  // namespace

extern "C" {

int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  auto* start = new Start{function, argument};
  const int error = pthread_create(thread, nullptr, run, start);
  if (error != 0) delete start;
  return result(error);
}

int thrd_join(thrd_t thread, int* code) {
  void* returned = nullptr;
  const int error = pthread_join(thread, &returned);
  if (code != nullptr) *code = static_cast<int>(reinterpret_cast<std::intptr_t>(returned));
  return result(error);
}

int mtx_init(mtx_t* mutex, int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, (type & mtx_recursive) != 0 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
  const int error = pthread_mutex_init(posix(mutex), &attributes);
  pthread_mutexattr_destroy(&attributes);
  return result(error);
}

int mtx_lock(mtx_t* mutex) { return result(pthread_mutex_lock(posix(mutex))); }
int mtx_trylock(mtx_t* mutex) { return result(pthread_mutex_trylock(posix(mutex))); }
int mtx_unlock(mtx_t* mutex) { return result(pthread_mutex_unlock(posix(mutex))); }
void mtx_destroy(mtx_t* mutex) { pthread_mutex_destroy(posix(mutex)); }

int cnd_init(cnd_t* condition) { return result(pthread_cond_init(posix(condition), nullptr)); }
int cnd_signal(cnd_t* condition) { return result(pthread_cond_signal(posix(condition))); }
int cnd_broadcast(cnd_t* condition) { return result(pthread_cond_broadcast(posix(condition))); }
int cnd_wait(cnd_t* condition, mtx_t* mutex) { return result(pthread_cond_wait(posix(condition), posix(mutex))); }
int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  return result(pthread_cond_timedwait(posix(condition), posix(mutex), until));
}
void cnd_destroy(cnd_t* condition) { pthread_cond_destroy(posix(condition)); }

}  // extern "C"
