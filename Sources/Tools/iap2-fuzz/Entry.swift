// swift-iap2 · Apache-2.0

import Foundation

// libFuzzer has its own `main`. tools/fuzz/run sets LIBFUZZER when it builds with libFuzzer.
#if LIBFUZZER
  private let target: Target = {
    let name = ProcessInfo.processInfo.environment["IAP2_FUZZ_TARGET"] ?? ""
    guard let target = Target.named(name) else { fatalError("IAP2_FUZZ_TARGET names no target: \(name)") }
    return target
  }()

  @_cdecl("LLVMFuzzerInitialize")
  public func initialize(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>>
  ) -> CInt {
    if let status = Command.run(Array(CommandLine.arguments.dropFirst())) { exit(status) }
    return 0
  }

  /// - Returns: -1 for an input that libFuzzer should not keep.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    do { return try target.check(bytes) ? 0 : -1 } catch { fatalError("\(target.name): \(error)") }
  }
#else
  @main
  enum Main {
    static func main() { exit(Command.run(Array(CommandLine.arguments.dropFirst())) ?? Command.refuse()) }
  }
#endif
