// swift-iap2 · Apache-2.0

public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of ``EABluetoothAccessoryPickerError``.
public let EABluetoothAccessoryPickerErrorDomain = "EABluetoothAccessoryPickerErrorDomain"

/// The receiver of the picker's result: nil after success, else an ``EABluetoothAccessoryPickerError``.
public typealias EABluetoothAccessoryPickerCompletion = ((any Error)?) -> Void

/// An error of the picker of Bluetooth accessories.
public struct EABluetoothAccessoryPickerError: CustomNSError, Hashable, Error, Sendable {
  /// The reason of an error.
  public enum Code: Int, Sendable, Hashable {
    /// The accessory is connected already.
    case alreadyConnected = 0
    /// No accessory was found.
    case resultNotFound = 1
    /// The user cancelled.
    case resultCancelled = 2
    /// The accessory could not be connected.
    case resultFailed = 3

    /// Returns whether an error is one of the picker with this code, for `catch` and `switch`.
    public static func ~= (code: Code, error: any Error) -> Bool {
      (error as? EABluetoothAccessoryPickerError)?.code == code
    }
  }

  /// The reason of the error.
  public let code: Code

  /// Creates an error.
  public init(_ code: Code) { self.code = code }

  /// The domain of the error.
  public static var errorDomain: String { EABluetoothAccessoryPickerErrorDomain }

  /// The raw value of ``code``.
  public var errorCode: Int { code.rawValue }

  /// ``Code/alreadyConnected``.
  public static var alreadyConnected: Code { .alreadyConnected }
  /// ``Code/resultNotFound``.
  public static var resultNotFound: Code { .resultNotFound }
  /// ``Code/resultCancelled``.
  public static var resultCancelled: Code { .resultCancelled }
  /// ``Code/resultFailed``.
  public static var resultFailed: Code { .resultFailed }
}
