// swift-iap2 · Apache-2.0

import Basics
import CarPlayAnalysis
import CarPlaySession
import Cryptography

/// A stream of a phone as a scripted head unit reads it.
struct PhoneContent {
  let type: StreamType
  let asked: StreamBody
  var screen: ScreenOpener?
  var sound: AudioOpener?
  var buffered: BufferedAudioOpener?
  var data: (opener: FrameOpener, sealer: FrameSealer, reader: DataPackageReader)?
  /// The pictures, the key frames among them, the heartbeats, and the packets of sound so far.
  var pictureCount = 0, keyFrameCount = 0, heartbeatCount = 0, packetCount = 0
  /// The last packets of sound with their sequence numbers, as they arrived.
  var packets: [(sequence: UInt16, bytes: [UInt8])] = []
  /// The sequence numbers of the replies on a data stream.
  var replies: [UInt64] = []
  /// The datagrams of the control port.
  var controlPackets: [AudioControlPacket] = []
}

extension ScriptedHeadUnit {
  /// The number of pictures after which the judge does not wait for a key frame any more.
  static let keyFrameLimit = 120
  /// The number of packets of sound that are kept.
  private static let keptPacketCount = 32

  // MARK: Set-up

  /// Answers the set-up of streams.
  func setUpStreams(_ message: RequestMessage) async -> RequestMessage {
    record.reach(.streamSetUp)
    let bodies: [StreamBody]?
    do throws(BodyProblem) { bodies = try StreamList(bytes: message.body).streams } catch { bodies = nil }
    guard let bodies else { return message.answer(400) }
    var answers: [StreamBody] = []
    for body in bodies {
      guard let type = body.type else { continue }
      var reply = StreamBody(type)
      reply.values["streamConnectionID"] = body.values["streamConnectionID"]
      streams[type] = content(type, body)
      openedStreams.insert(type)
      if type.family == .audio {
        record.reach(.soundSetUp)
        reply.controlPort = await bind(.streamControl(type))
      }
      reply.dataPort = await bind(.stream(type))
      if type == .bufferedAudio { reply.values["audioBufferSize"] = 8_388_608 }
      if type == .data { reply.values["streamID"] = 1 }
      answers.append(reply)
    }
    return answers.isEmpty ? message.answer(400) : answer(message, StreamList(answers))
  }

  private func content(_ type: StreamType, _ body: StreamBody) -> PhoneContent {
    var content = PhoneContent(type: type, asked: body)
    switch (type.family, secret.map { StreamProtection.verified($0) }, body.connectionID ?? body.seed) {
    case (.screen, let protection?, let id?): content.screen = ScreenOpener(protection, id: id)
    case (.audio, let protection?, let id?): content.sound = AudioOpener(protection, id: id, from: .phone)
    case (.buffered, _, _): content.buffered = opener(body.sharedKey)
    case (.data, let protection?, let id?):
      guard let secret = protection.secret else { break }
      let keys = ChannelKeys.stream(secret, id: id)
      content.data = (FrameOpener(key: keys.phone), FrameSealer(key: keys.headUnit), DataPackageReader())
    default: break
    }
    return content
  }

  /// Returns the reading side of buffered music; nil without a key of the right size.
  private func opener(_ key: [UInt8]?) -> BufferedAudioOpener? {
    key.flatMap { $0.count == 32 ? BufferedAudioOpener(key: Secret($0)) : nil }
  }

  /// Ends the streams that a request names.
  func endStreams(_ message: RequestMessage) async {
    let types: [StreamType]
    do throws(BodyProblem) { types = (try StreamList(bytes: message.body).streams ?? []).compactMap(\.type) } catch {
      return
    }
    for type in types where streams[type] != nil {
      streams[type] = nil
      await close(type.sockets)
    }
  }

  // MARK: Content

  /// Takes bytes of a stream.
  func receive(_ bytes: [UInt8], on socket: SessionSocket) {
    switch socket {
    case .stream(let type):
      switch type.family {
      case .screen: receiveScreen(bytes, type)
      case .audio: receiveSound(bytes, type)
      case .buffered: receiveBuffered(bytes, type)
      case .data: receiveData(bytes, type)
      }
    case .streamControl(let type):
      if let packet = AudioControlPacket(bytes: bytes) { streams[type]?.controlPackets.append(packet) }
    default: break
    }
  }

  private func receiveScreen(_ bytes: [UInt8], _ type: StreamType) {
    streams[type]?.screen?.add(bytes)
    do throws(ScreenOpener.Problem) {
      while let message = try streams[type]?.screen?.next() { take(message, type) }
    } catch {
      streams[type]?.screen = nil
      record.judge.note(.screen(error), by: .phone, error.valueProblem(of: type))
    }
  }

  private func take(_ message: ScreenMessage, _ type: StreamType) {
    record.take(message, of: type)
    switch message.kind {
    case .frame:
      record.reach(.screen)
      streams[type]?.pictureCount += 1
      if message.isKeyFrame { streams[type]?.keyFrameCount += 1 }
      guard type == .screen, let count = picturesSinceAsked else { return }
      picturesSinceAsked = message.isKeyFrame ? nil : count + 1
      if message.isKeyFrame || count + 1 == Self.keyFrameLimit { record.reach(.keyFrames) }
    case .heartbeat, .statistics: streams[type]?.heartbeatCount += 1
    default: break
    }
  }

  private func receiveSound(_ bytes: [UInt8], _ type: StreamType) {
    guard streams[type] != nil else { return }
    guard let packet = streams[type]?.sound?.open(bytes) else {
      return record.judge.note(
        .sound, by: .phone,
        ValueProblem(
          type.name, is: "a packet of sound does not open", expected: "the phone's key of streamConnectionID"))
    }
    record.reach(.sound)
    record.take(packet, of: type, from: .phone)
    streams[type]?.packetCount += 1
    streams[type]?.packets.append((packet.sequence, bytes))
    if streams[type]?.packets.count ?? 0 > Self.keptPacketCount { streams[type]?.packets.removeFirst() }
  }

  private func receiveBuffered(_ bytes: [UInt8], _ type: StreamType) {
    streams[type]?.buffered?.add(bytes)
    do throws(BufferedAudioProblem) {
      while let packet = try streams[type]?.buffered?.next() {
        record.reach(.buffered)
        record.take(packet, of: type, from: .phone)
        streams[type]?.packetCount += 1
      }
    } catch {
      streams[type]?.buffered = nil
      record.judge.note(.buffered, by: .phone, error.valueProblem(of: type))
    }
  }

  private func receiveData(_ bytes: [UInt8], _ type: StreamType) {
    guard var data = streams[type]?.data else { return }
    do {
      data.reader.add(try data.opener.open(bytes))
      while let package = try data.reader.next() {
        record.reach(.data)
        if package.kind == .reply { streams[type]?.replies.append(package.sequence) }
        streams[type]?.packetCount += 1
      }
    } catch {
      record.judge.note(
        .data, by: .phone, ValueProblem("data", is: "a package cannot be read", expected: "frames with packages"))
    }
    streams[type]?.data = data
  }

  /// Sends a package on the data stream.
  ///
  /// - Parameter change: Changes the bytes of its frame.
  func send(_ package: DataPackage, _ change: ([UInt8]) -> [UInt8] = { $0 }) async {
    do throws(DataPackageProblem) {
      guard let frame = streams[.data]?.data?.sealer.seal(try package.bytes()) else { return }
      await line.act([.send(.stream(.data), change(frame))])
    } catch {}
  }
}
