#pragma once
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <utility>

namespace weir {

/// Growable bytes, 64-byte aligned, not initialised when grown. Move-only; frozen by putting it into a shared_ptr<const>.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& o) noexcept { swap(o); }
  Buffer& operator=(Buffer&& o) noexcept {
    Buffer(std::move(o)).swap(*this);
    return *this;
  }
  ~Buffer() { std::free(data_); }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data_);
  }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }
  template <typename T>
  std::span<const T> view() const {
    return {as<T>(), size_ / sizeof(T)};
  }

  void reserve(std::size_t bytes) {
    if (bytes > capacity_) grow(bytes);
  }
  /// New bytes are not initialised.
  void resize(std::size_t bytes) {
    reserve(bytes);
    size_ = bytes;
  }
  template <typename T>
  void push(const T& value) {
    if (size_ + sizeof(T) > capacity_) grow(size_ + sizeof(T));
    std::memcpy(data_ + size_, &value, sizeof(T));
    size_ += sizeof(T);
  }
  void append(const void* bytes, std::size_t n) {
    if (size_ + n > capacity_) grow(size_ + n);
    if (n) std::memcpy(data_ + size_, bytes, n);
    size_ += n;
  }
  void clear() { size_ = 0; }
  /// The first memory taken is for at least so many bytes: spares growing step by step where the size is known by
  /// experience.
  void expect(std::size_t bytes) { expected_ = bytes; }

 private:
  void swap(Buffer& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    std::swap(capacity_, o.capacity_);
    std::swap(expected_, o.expected_);
  }
  void grow(std::size_t least) {
    std::size_t wanted = capacity_ ? capacity_ * 2 : expected_;
    if (wanted < least) wanted = least;
    wanted = (wanted + 63) / 64 * 64;
    auto* fresh = static_cast<std::byte*>(std::aligned_alloc(64, wanted));
    if (!fresh) throw std::bad_alloc();
    if (size_) std::memcpy(fresh, data_, size_);
    std::free(data_);
    data_ = fresh;
    capacity_ = wanted;
  }
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t expected_ = 0;
};

}  // namespace weir
