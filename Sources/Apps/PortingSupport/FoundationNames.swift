// swift-iap2 · Apache-2.0

// Names that `import Foundation` gives on Apple's systems and not on Linux. Code that apps have around a session uses
// them, so the module adds them. They are no part of the API of Apple's ExternalAccessory.

@_exported public import CoreFoundation
public import Foundation

/// The integer of Objective-C.
public typealias NSInteger = Int

/// The unsigned integer of Objective-C.
public typealias NSUInteger = UInt

extension RunLoop.Mode {
  /// The name of `RunLoop.Mode.common` before Swift 4.2.
  public static var commonModes: RunLoop.Mode { .common }
}

extension CFRunLoopMode {
  /// The default mode of a run loop.
  public static var defaultMode: CFRunLoopMode { kCFRunLoopDefaultMode }

  /// The common modes of a run loop.
  public static var commonModes: CFRunLoopMode { kCFRunLoopCommonModes }
}

// The conformance is Foundation's on Apple's systems.
// swift-format-ignore: AvoidRetroactiveConformances
/// A stream as the argument of a format: `NSLog("%@", stream)`.
extension Stream: @retroactive _CVarArgObject {
  /// The description. A format of Foundation on Linux prints strings only.
  public var _cVarArgObject: any CVarArg { NSString(string: description) }

  /// The reference, for other formats than `%@`.
  public var _cVarArgEncoding: [Int] { unsafe [Int(bitPattern: Unmanaged.passUnretained(self).toOpaque())] }
}

/// Calls a closure. Linux has no autoreleased objects, so there is no pool.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
