// swift-iap2 · Apache-2.0

import CarPlaySession
import Cryptography

/// A checker of everything that the machines of a simulation send. It opens each encrypted byte with the key that the
/// protocol demands and the next nonce, so a clear byte, another key and a repeated nonce are violations.
struct WireWatcher {
  private enum Channel {
    /// Messages in the clear, of the head unit.
    case clear(RequestReader)
    case frames(FrameOpener)
    case screen(ScreenOpener)
    case buffered(BufferedAudioOpener)
    /// A channel without pairing, or one whose key is no longer known.
    case unknown
  }

  private struct Direction: Hashable {
    var connection: Int
    var isFromPhone: Bool
  }

  private(set) var violations: [String] = []
  private var channels: [Direction: Channel] = [:]
  private var datagrams: [Secret: AudioOpener] = [:]
  private var usedKeys: Set<Secret> = []

  mutating func violate(_ text: String) { violations.append(text) }

  mutating func send(
    _ bytes: [UInt8], from end: FaultyNetwork.End, to other: FaultyNetwork.End, on connection: Int,
    secret: (Int) -> Secret?, streams: (Int) -> SessionInspection
  ) {
    let isFromPhone = end.node > 0
    let direction = Direction(connection: connection, isFromPhone: isFromPhone)
    if channels[direction] == nil {
      channels[direction] = first(end.socket, isFromPhone, streams(0))
    }
    guard var channel = channels.removeValue(forKey: direction) else { return }
    switch channel {
    case .unknown: break
    case .clear(var reader):
      reader.add(bytes)
      channel = .clear(reader)
      if !isFromPhone { takeClear(&channel, &reader, end.socket, connection, secret) }
    case .frames(var opener):
      do throws(FrameOpener.WrongFrame) { _ = try opener.open(bytes) } catch {
        violate("\(end) sends other bytes than frame \(error.number)")
      }
      channel = .frames(opener)
    case .screen(var opener):
      opener.add(bytes)
      do throws(ScreenOpener.Problem) { while try opener.next() != nil {} } catch { violate("\(end) sends \(error)") }
      channel = .screen(opener)
    case .buffered(var opener):
      opener.add(bytes)
      do throws(BufferedAudioProblem) { while try opener.next() != nil {} } catch { violate("\(end) sends \(error)") }
      channel = .buffered(opener)
    }
    channels[direction] = channel
  }

  /// Finds the answer after which a control connection is encrypted.
  private mutating func takeClear(
    _ channel: inout Channel, _ reader: inout RequestReader, _ socket: SessionSocket, _ connection: Int,
    _ secret: (Int) -> Secret?
  ) {
    guard case .control(let number) = socket else { return }
    do throws(RequestReader.Problem) {
      while let message = try reader.next() {
        guard message.body == [6, 1, 4] else { continue }
        let key = secret(number).map(ChannelKeys.control)
        channel = key.map { .frames(opener($0.headUnit)) } ?? .unknown
        channels[Direction(connection: connection, isFromPhone: true)] = key.map { .frames(opener($0.phone)) }
        return
      }
      channel = .clear(reader)
    } catch { violate("the head unit sends a message with \(error)") }
  }

  private mutating func opener(_ key: Secret) -> FrameOpener {
    use(key)
    return FrameOpener(key: key)
  }

  private mutating func use(_ key: Secret) {
    if !usedKeys.insert(key).inserted { violate("a key is used by two channels") }
  }

  private mutating func first(
    _ socket: SessionSocket, _ isFromPhone: Bool, _ headUnit: SessionInspection
  ) -> Channel {
    if case .control = socket { return .clear(RequestReader()) }
    guard let connection = headUnit.connection, let secret = headUnit.secrets[connection] else { return .unknown }
    switch socket {
    case .events:
      let keys = ChannelKeys.events(secret)
      return .frames(opener(isFromPhone ? keys.phone : keys.headUnit))
    case .stream(let type):
      switch headUnit.streams[type] {
      case nil: return .unknown
      case .key(let key):
        use(key)
        return .buffered(BufferedAudioOpener(key: key))
      case .id(let id):
        let keys = ChannelKeys.stream(secret, id: id)
        let key = isFromPhone ? keys.phone : keys.headUnit
        guard type.family == .screen else { return .frames(opener(key)) }
        use(key)
        return .screen(ScreenOpener(key: key))
      }
    case .control, .clock, .keepAlive, .streamControl: return .unknown
    }
  }

  /// Opens a packet of sound. A packet whose nonce was already used with the key does not open.
  mutating func sendDatagram(_ bytes: [UInt8], from end: FaultyNetwork.End, streams: (Int) -> SessionInspection) {
    guard case .stream(let type) = end.socket else { return }
    let own = streams(end.node)
    guard case .id(let id)? = own.streams[type],
      let secret = end.node == 0 ? own.connection.flatMap({ own.secrets[$0] }) : own.secrets[0]
    else { return }
    let keys = ChannelKeys.stream(secret, id: id)
    let key = end.node == 0 ? keys.headUnit : keys.phone
    var opener = datagrams[key] ?? AudioOpener(key: key)
    if opener.open(bytes) == nil { violate("\(end) sends a packet with a wrong key or a nonce twice") }
    datagrams[key] = opener
  }
}
