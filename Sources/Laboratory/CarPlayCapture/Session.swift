// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import Cryptography
import HIDReports
import IAP2
import IAP2Capture

/// A session in a capture: its control connection, and what belongs to it.
struct Session: Sendable {
  /// A socket of the session, by the end of a connection or the receiver of a datagram.
  enum Socket: Sendable, Hashable {
    case events
    /// The clock of a side.
    case clock(SessionSide)
    case keepAlive
    /// A stream over TCP, by its place in ``Session/streams``.
    case stream(Int)
    /// The sound that a side receives, and the control packets of it.
    case sound(Int, to: SessionSide)
    case soundControl(Int, to: SessionSide)

    /// The side whose datagrams the socket receives; nil for a connection.
    var sender: SessionSide? {
      switch self {
      case .clock(let receiver), .sound(_, let receiver), .soundControl(_, let receiver): receiver.other
      case .keepAlive: .phone
      case .events, .stream: nil
      }
    }
  }

  /// The addresses of the sides, without ports.
  let phone, headUnit: [UInt8]
  /// The end of the control connection that the head unit has.
  let server: [UInt8]
  /// The record with which its control connection begins, as far as the capture shows.
  let firstRecord: Int
  /// Whether the capture begins behind pair-verify.
  var isLate = false
  var control = Channel()
  var events: Channel?
  var pairing = PairingTrace()
  /// The frames that were tried with all secrets, although the capture has the key that names one.
  var triedFrames = 0
  /// The protection of the streams; nil before the set-up, and while the keys are not known.
  var protection: StreamProtection?
  var streams: [Stream] = []
  /// The reports of each input device, by its id.
  var inputs: [String: InputReader] = [:]
  /// The phone's key of auth-setup, its secret, and the size of the signature.
  var authSetupKey: [UInt8] = []
  var authSetup: Secret?
  var signatureByteCount = 0
  var features = FeatureBits()
  /// Whether a datagram to a port came that the set-up names.
  var hasDatagrams = false
  /// Whether the control connection ended.
  var isOver = false
  /// The course of the session; nil if no explanation is wanted.
  var story: SessionStory?
  /// The time of the last question of each side's clock.
  var questions = BothSides<Int64?>(nil)

  init(_ connection: CarPlaySessions.Connection) {
    (phone, headUnit, server) = (
      connection.client.dropLast(2), connection.server.dropLast(2), connection.server
    )
    firstRecord = connection.began?.record ?? 0
  }

  /// Whether the set-up of streams may be unread.
  var lacksSetUp: Bool { isLate || control.lacksMessages || control.directions[.headUnit].isOpaque }

  /// Returns whether a connection is between the sides.
  func isBetween(_ connection: CarPlaySessions.Connection) -> Bool {
    let ends: Set<[UInt8]> = [connection.client.dropLast(2), connection.server.dropLast(2)]
    return ends == [phone, headUnit]
  }

  /// The messages of the control or event connection.
  struct Channel: Sendable {
    var directions = BothSides(Direction())
    /// The requests that are not answered.
    private var pending = PendingRequests<RequestMessage>()
    /// Whether messages are missing, so that an answer belongs only to a request of its number.
    var lacksMessages = false

    init() {}

    /// Keeps the bytes in the clear for a copy of the capture.
    mutating func keepPlain() { for side in SessionSide.allCases { directions[side].plain = PlainBytes() } }

    /// Creates the event channel, which is encrypted from its first byte if the session has keys or hides them.
    init(events secret: Secret?) {
      let keys = secret.map(ChannelKeys.events)
      directions[.phone] = Direction(key: keys?.phone)
      directions[.headUnit] = Direction(key: keys?.headUnit)
    }

    mutating func note(_ request: RequestMessage) { pending.add(request, request.sequence) }

    /// Returns whether a request with the number of an answer waits.
    func hasRequest(answeredBy answer: RequestMessage) -> Bool { pending.has(answer.sequence) }

    /// Removes and returns the request of an answer.
    mutating func request(of answer: RequestMessage) -> RequestMessage? {
      pending.remove(answeredBy: answer.sequence, isExact: lacksMessages)
    }
  }

  /// Forgets what only a running session needs. The names of its streams remain for the ends of their connections.
  mutating func release() {
    (control, events, inputs, questions) = (Channel(), nil, [:], BothSides(nil))
    isOver = true
    for index in streams.indices { streams[index].release() }
    story = nil
  }

  /// Reads `/info`, whose descriptors give the reports of inputs their meaning.
  mutating func take(info: SessionInfo) {
    features = FeatureBits(rawValue: info.features ?? 0)
    // A phone may ask for it only when the session is set up.
    if case .unverified(var key) = protection {
      key.encryptsSound = !features.contains(.unencryptedAudio)
      protection = .unverified(key)
    }
    let display = info.displays?.first { $0.type == StreamType.screen.rawValue } ?? info.displays?.first
    for device in info.inputDevices ?? [] where inputs[device.uuid] == nil {
      do {
        inputs[device.uuid] = InputReader(
          descriptor: try HIDReportDescriptor(device.descriptor),
          width: UInt16(clamping: display?.width ?? 0), height: UInt16(clamping: display?.height ?? 0))
      } catch {
        // Without a readable descriptor, a report stays bytes.
      }
    }
  }

  /// Returns the words for an input report: its changes by the device's descriptor.
  mutating func words(ofReport report: [UInt8], device: String) -> String? {
    do {
      guard let events = try inputs[device]?.take(report) else { return nil }
      return events.compactMap { SessionEvent.input(device: device, $0).record(of: .phone)?.text }
        .joined(separator: "; ")
    } catch { return "the report does not fit the descriptor: \(error)" }
  }
}

extension Side {
  init(_ side: SessionSide) { self = side == .phone ? .device : .accessory }
}

extension BothSides {
  /// The value of a side.
  subscript(_ side: SessionSide) -> Value {
    get { self[Side(side)] }
    _modify { yield &self[Side(side)] }
  }
}
