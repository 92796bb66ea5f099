// swift-iap2 · Apache-2.0

import CarPlaySession
import Cryptography
import Testing
import WireSupport

/// Pictures, sound and clock. The bytes of sealed packets were computed with Python's cryptography package.
@Suite struct StreamTests {
  /// The phone's key of a stream (CarPlaySession.md#keys).
  private let key = Secret(hex("397f5cec8fa80be7121b0a782934246434cd506e3c0652bb2654b41755098c55"))

  // MARK: Screen

  private let header = hex("1800000000100000000000800a000000") + [UInt8](repeating: 0, count: 112)
  private let sealed = hex("d7a13d98330ad83ecd55908ea59daf8b401dd576f698aca9")
  private let unit: [UInt8] = [0, 0, 0, 4, 0x65, 0x88, 0x80, 0x40]

  private var frame: ScreenMessage { ScreenMessage(.frame, isKeyFrame: true, time: 0x0000_000A_8000_0000, body: unit) }

  @Test func aFrameHasTheBytesOfTheVector() {
    var sealer = ScreenSealer(key: key)
    #expect(sealer.seal(frame) == header + sealed)
    #expect(sealer.frameCount == 1)
  }

  @Test func theConfigurationOfARealTabletIsRead() throws {
    let head = hex(
      "1f000000010006001d9a9f59efde00000000584400002244" + String(repeating: "00", count: 16)
        + "00005844000022440000504300001042" + "00c0574400c02144")
    let body = hex("0164c028ffe100106764c028ac56200d814fe59b8101010101000428ee3cb0")
    var opener = ScreenOpener(key: key)
    opener.add(head + [UInt8](repeating: 0, count: 128 - head.count) + body)
    let message = try #require(try opener.next())
    #expect(message.kind == .configuration && message.flags == 6 && message.body == body)
    #expect(message.width == 864 && message.height == 648)
    #expect(message.picture == ScreenMessage.Rectangle(x: 208, y: 36, width: 863, height: 647))
  }

  @Test func aStreamComesBackHoweverItIsCut() throws {
    var sealer = ScreenSealer(key: key)
    let messages = [
      ScreenMessage(.configuration, flags: 0x0116, width: 1280, height: 720, body: [1, 2]), frame,
      ScreenMessage(.heartbeat), ScreenMessage(.frame, time: 7, body: [UInt8](repeating: 9, count: 3000)),
      ScreenMessage(.statistics, body: [3]),
    ]
    let bytes = messages.flatMap { sealer.seal($0) }
    for piece in [1, 127, 128, 1000, bytes.count] {
      var opener = ScreenOpener(key: key)
      var read: [ScreenMessage] = []
      for start in stride(from: 0, to: bytes.count, by: piece) {
        opener.add(bytes[start..<min(start + piece, bytes.count)])
        while let message = try opener.next() { read.append(message) }
      }
      #expect(read == messages)
    }
  }

  @Test func payloadsKeepTheirBytesWhileTheyAreHeld() throws {
    var (screen, sound) = (ScreenSealer(key: key), AudioSealer(key: key))
    var (screenOpener, soundOpener) = (ScreenOpener(key: key), AudioOpener(key: key))
    screenOpener.add(screen.seal(ScreenMessage(.configuration)))
    _ = try screenOpener.next()
    var held: [[UInt8]] = []
    let payloads = (UInt8(0)..<20).map { [UInt8](repeating: $0, count: 1000 - Int($0)) }
    for (number, payload) in payloads.enumerated() {
      screenOpener.add(screen.seal(ScreenMessage(.frame, body: payload)))
      let message = try screenOpener.next()
      held.append(try #require(message).body)
      let packet = AudioPacket(type: 100, sequence: UInt16(number), timestamp: 0, source: 0, payload: payload)
      let opened = soundOpener.open(sound.seal(packet))
      held.append(try #require(opened).payload)
    }
    #expect(held == payloads.flatMap { [$0, $0] })
  }

  @Test func whatIsNotTheNextFrameOfThePhoneEndsTheStream() throws {
    var sealer = ScreenSealer(key: key)
    let configuration = sealer.seal(ScreenMessage(.configuration, body: [1]))
    let (first, second) = (sealer.seal(frame), sealer.seal(frame))
    var changed = first
    changed[9] ^= 1
    for (bytes, problem) in [
      (first, ScreenOpener.Problem.noConfiguration), (configuration + second, .wrongFrame(0)),
      (configuration + first + first, .wrongFrame(1)), (configuration + changed, .wrongFrame(0)),
      ([0, 0, 0x80, 0] + [UInt8](repeating: 0, count: 124), .bodyTooLong(8 << 20)),
      ([255, 255, 255, 255] + [UInt8](repeating: 0, count: 124), .bodyTooLong(0xFFFF_FFFF)),
    ] {
      var opener = ScreenOpener(key: key)
      opener.add(bytes)
      if problem == .bodyTooLong(8 << 20) {
        #expect(try opener.next() == nil, "the longest body is awaited")
        continue
      }
      #expect(throws: problem) { while try opener.next() != nil {} }
    }
  }

  // MARK: Sound

  private func packet(_ number: UInt16) -> AudioPacket {
    AudioPacket(type: 100, sequence: number, timestamp: 480, source: 0x0102_0304, payload: [0, 1, 0xFF, 0xFE])
  }

  @Test func aPacketHasTheBytesOfTheVector() {
    var sealer = AudioSealer(key: key)
    #expect(
      sealer.seal(packet(1))
        == hex("80640001000001e001020304d7a0c262a6d7330d30eacbbe4e30ae1eff9b8f3c0000000000000000"))
    #expect(sealer.count == 1)
  }

  @Test func lostAndLatePacketsAreTakenOnceAndWrongOnesNever() {
    var sealer = AudioSealer(key: key)
    let packets = (0..<200).map { sealer.seal(packet(UInt16($0))) }
    var opener = AudioOpener(key: key)
    for index in [0, 2, 1, 5, 4, 70, 68] { #expect(opener.open(packets[index])?.sequence == UInt16(index)) }
    #expect(opener.droppedCount == 0)
    // Packets that are repeated, changed, cut or older than the window are refused.
    for index in [0, 2, 1, 5, 4, 70, 68] { #expect(opener.open(packets[index]) == nil) }
    for place in [5, 9, 13, 20, packets[80].count - 1, 2] {
      var changed = packets[80]
      changed[place] ^= 1
      // Only the time and the source of a packet are authenticated, not its sequence number.
      #expect((opener.open(changed) == nil) == (place > 3), "byte \(place)")
    }
    // Phones send another payload type than the stream's, and it is not authenticated.
    var renamed = packets[81]
    renamed[1] = 0x80 | 96
    #expect(opener.open(renamed)?.type == 96)
    var short = AudioOpener(key: key)
    #expect(short.open(Array(packets[0].prefix(35))) == nil && short.open([]) == nil)
    #expect(short.droppedCount == 2)
    #expect(opener.open(packets[199]) != nil)
    #expect(opener.open(packets[120]) == nil, "it is older than the window")
    #expect(opener.open(packets[136]) != nil && opener.open(packets[136]) == nil)
  }

  // MARK: Clock

  @Test func aPacketOfTheClockComesBack() {
    let request = ClockPacket(isRequest: true, sent: 0x0102_0304_0506_0708)
    #expect(request.bytes == hex("80d20007" + String(repeating: "00", count: 20) + "0102030405060708"))
    #expect(ClockPacket(bytes: request.bytes) == request)
    let answer = request.answer(received: 5, sent: 6)
    #expect(!answer.isRequest && answer.reference == request.sent)
    #expect(ClockPacket(bytes: answer.bytes) == answer)
    #expect(ClockPacket(bytes: Array(answer.bytes.dropLast())) == nil)
    #expect(ClockPacket(bytes: [0x80, 0xD4] + answer.bytes.dropFirst(2)) == nil)
  }

  @Test func theAnswerWithTheLeastDelayCounts() throws {
    let second: UInt64 = 1 << 32
    var estimate = ClockEstimate()
    #expect(estimate.offset == nil)
    // The other clock is a million seconds ahead. The first way back takes a second, later ones a millisecond.
    func take(_ now: UInt64, wayThere: UInt64, wayBack: UInt64) {
      let request = ClockPacket(isRequest: true, sent: now)
      let arrival = now &+ wayThere &+ 1_000_000 * second
      estimate.take(request.answer(received: arrival, sent: arrival), arrived: now &+ wayThere &+ wayBack)
    }
    take(0, wayThere: 0, wayBack: second)
    #expect(try #require(estimate.offset) == Int64(1_000_000 * second) - Int64(second / 2))
    take(5 * second, wayThere: second / 1000, wayBack: second / 1000)
    let offset = try #require(estimate.offset)
    #expect((offset - Int64(1_000_000 * second)).magnitude <= 2)
    // A slow answer changes nothing, and hostile numbers do not trap.
    take(6 * second, wayThere: 0, wayBack: 2 * second)
    #expect(estimate.offset == offset)
    estimate.take(ClockPacket(isRequest: false, reference: .max, received: 0, sent: .max / 2), arrived: 1)
    estimate.take(ClockPacket(isRequest: false, reference: 1 << 63, received: .max, sent: 0), arrived: .max)
  }
}
