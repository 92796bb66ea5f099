// swift-iap2 · Apache-2.0

/// A writer into memory of a size that was computed before.
///
/// Invariant: `base` is valid for `capacity` bytes as long as the writer exists, and every store is checked against
/// `capacity`.
@safe
public struct ParameterWriter: ~Copyable {
  private let base: UnsafeMutableRawPointer
  private let capacity: Int
  private(set) var count = 0

  @unsafe
  init(_ memory: UnsafeMutableRawBufferPointer) {
    // An empty buffer may have no address. A writer of capacity 0 never uses the substitute.
    unsafe base = memory.baseAddress ?? UnsafeMutableRawPointer(bitPattern: 1).unsafelyUnwrapped
    capacity = memory.count
  }

  @inline(__always)
  mutating func put<T: FixedWidthInteger & BitwiseCopyable>(_ number: T) {
    precondition(capacity &- count >= MemoryLayout<T>.size)
    unsafe base.storeBytes(of: number.bigEndian, toByteOffset: count, as: T.self)
    count &+= MemoryLayout<T>.size
  }

  @inline(__always)
  mutating func put(_ bytes: UnsafeRawBufferPointer) {
    precondition(capacity &- count >= bytes.count)
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    unsafe (base + count).copyMemory(from: source, byteCount: bytes.count)
    count &+= bytes.count
  }

  @inline(__always)
  mutating func header(_ id: UInt16, byteCount: Int) { put(UInt32(truncatingIfNeeded: byteCount) &<< 16 | UInt32(id)) }

  /// Starts a parameter of unknown length and returns its offset, which `close` takes to fill in the length.
  @inline(__always)
  mutating func open(_ id: UInt16) -> Int {
    let start = count
    put(UInt32(id))
    return start
  }

  @inline(__always)
  mutating func close(_ start: Int) {
    unsafe base.storeBytes(
      of: UInt16(truncatingIfNeeded: count &- start).bigEndian, toByteOffset: start, as: UInt16.self)
  }

  func written(from start: Int) -> [UInt8] {
    unsafe Array(UnsafeRawBufferPointer(start: base + start, count: count - start))
  }

  /// Moves the end back to an earlier offset, so that the bytes after it are overwritten.
  mutating func rewind(to start: Int) {
    precondition(start <= count)
    count = start
  }
}
