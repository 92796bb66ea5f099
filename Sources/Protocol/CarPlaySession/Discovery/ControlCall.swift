// swift-iap2 · Apache-2.0

/// The request with which a head unit asks a phone to connect (CarPlayStart.md#ctrl-request).
public struct ControlCall: Sendable, Hashable {
  /// A way to write the address of the head unit.
  public enum Form: String, Sendable, Hashable, CaseIterable {
    /// A decimal number. Three programs send it (CarPlayStart.md#ctrl-device-id).
    case decimal
    /// Hexadecimal digits, with colons or without. Ports sent them until they met real phones.
    case hexadecimal
  }

  /// A reading of the address.
  public struct Reading: Sendable, Hashable {
    /// The address.
    public var deviceID: DeviceID
    /// How it was written.
    public var form: Form
  }

  /// The readings of the address, the likely one first. Twelve decimal digits may be hexadecimal ones, too.
  public var readings: [Reading]
  /// The version of the receiver; nil if the request has none.
  public var sourceVersion: String?

  /// The characters of a wrong address that are repeated to the user.
  private static let maximumTextCount = 64

  /// The path of the request.
  public static let path = "/ctrl-int/1/connect"
  /// The header with the address of the head unit.
  public static let deviceHeader = "AirPlay-Receiver-Device-ID"
  private static let agent = "AirPlay/"

  /// Returns the bytes of a request.
  ///
  /// - Parameters:
  ///   - deviceID: The address of the head unit.
  ///   - form: How the address is written.
  ///   - sourceVersion: The version of the receiver.
  ///   - host: The value of `Host`: the phone's name or address.
  public static func request(
    _ deviceID: DeviceID, form: Form = .decimal, sourceVersion: String, host: String
  ) -> [UInt8] {
    let id = form == .decimal ? "\(deviceID.number)" : "\(deviceID)"
    let lines = [
      "GET \(path) HTTP/1.1", "Host: \(host)", "User-Agent: \(agent)\(sourceVersion)", "\(deviceHeader): \(id)",
      "Connection: close",
    ]
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  /// Reads a request.
  ///
  /// - Throws: The refusal.
  public init(_ message: RequestMessage) throws(Refusal) {
    guard case .request(let method, _, _) = message.start else { throw .notARequest }
    guard message.path == Self.path else { throw .unknownPath }
    guard method == "GET" else { throw .unknownMethod }
    guard let text = message.headers[Self.deviceHeader] else { throw .noDeviceID }
    readings = Self.readings(text)
    guard !readings.isEmpty else { throw .badDeviceID(String(text.prefix(Self.maximumTextCount))) }
    sourceVersion = message.headers["User-Agent"].flatMap { agent in
      agent.hasPrefix(Self.agent) ? String(agent.dropFirst(Self.agent.count)) : nil
    }
  }

  /// Returns the phone's answer to a request that it takes.
  public static func answer(_ request: RequestMessage) -> RequestMessage {
    request.answer(200, headers: [("Connection", "close")])
  }

  /// Returns the request that bytes are, or the reason why a phone refuses them.
  package static func read(_ bytes: [UInt8]) -> Result<ControlCall, Refusal> {
    var reader = RequestReader()
    reader.add(bytes)
    do throws(RequestReader.Problem) {
      guard let message = try reader.next() else { return .failure(.malformed(.badStart)) }
      do throws(Refusal) { return .success(try ControlCall(message)) } catch { return .failure(error) }
    } catch { return .failure(.malformed(error)) }
  }

  private static func readings(_ text: String) -> [Reading] {
    let hexadecimal = DeviceID(text).map { Reading(deviceID: $0, form: .hexadecimal) }
    let isDecimal = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    let decimal = isDecimal ? UInt64(text).flatMap { DeviceID(number: $0) } : nil
    let readings = [decimal.map { Reading(deviceID: $0, form: .decimal) }, hexadecimal].compactMap { $0 }
    // A decimal number does not begin with 0.
    return text.hasPrefix("0") && hexadecimal != nil ? readings.reversed() : readings
  }

  /// A reason why a phone refuses a request.
  public enum Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// An answer came.
    case notARequest
    /// The bytes are no request of HTTP.
    case malformed(RequestReader.Problem)
    /// The path is another one.
    case unknownPath
    /// The method is not GET.
    case unknownMethod
    /// The address of the head unit is missing.
    case noDeviceID
    /// The address of the head unit cannot be read.
    case badDeviceID(String)

    /// The status of the answer.
    public var status: Int {
      switch self {
      case .malformed(let problem): problem.status
      case .unknownPath: 404
      case .unknownMethod: 501
      case .notARequest, .noDeviceID, .badDeviceID: 400
      }
    }

    public var description: String {
      switch self {
      case .notARequest: "an answer came in place of a request"
      case .malformed(let problem): problem.reason
      case .unknownPath: "the path is not \(path)"
      case .unknownMethod: "the method is not GET"
      case .noDeviceID: "\(deviceHeader) is missing"
      case .badDeviceID(let text): "\(deviceHeader) is \(text), which is no address of 48 bits"
      }
    }
  }
}
