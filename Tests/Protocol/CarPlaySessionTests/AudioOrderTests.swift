// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Cryptography
import Testing
import WireSupport

/// The order of audio packets, retransmission, and the datagrams for it.
@Suite struct AudioOrderTests {
  private static let millisecond: Int64 = 1_000_000

  // MARK: Datagrams

  @Test func aDatagramOfTheControlPortHasTheBytesOfThePage() {
    // The layouts are those of CarPlaySession.md#audio-control.
    let sync = AudioSync(isFirst: true, heard: 0x0102_0304, time: 0x0506_0708_090A_0B0C, next: 0x0D0E_0F10)
    var later = sync
    later.isFirst = false
    let request = AudioRetransmitRequest(first: 0xFFFE, count: 5)
    let packet = hex("80640001000001e001020304d7a0c262a6d7330d30eacbbe4e30ae1eff9b8f3c0000000000000000")
    for (datagram, bytes) in [
      (AudioControlPacket.sync(sync), hex("90d400070102030405060708090a0b0c0d0e0f10")),
      (.sync(later), hex("80d400070102030405060708090a0b0c0d0e0f10")),
      (.retransmitRequest(request), hex("80d50001fffe0005")),
      (.retransmitted(sequence: 1, packet: packet), hex("80d60001") + packet),
    ] {
      #expect(datagram.bytes == bytes)
      #expect(AudioControlPacket(bytes: bytes) == datagram)
      // Some senders leave out the marker bit and write another length field.
      #expect(AudioControlPacket(bytes: [bytes[0], bytes[1] & 0x7F] + bytes[2...]) == datagram)
    }
    #expect(AudioControlPacket(bytes: hex("80d50009fffe0005")) == .retransmitRequest(request))
  }

  @Test func otherBytesAreNoDatagramOfTheControlPort() {
    for bytes in [
      [], [0x80], hex("80d3000100010001"), hex("80d500010001"), hex("80d500010001000100"), hex("90d5000100010001"),
      hex("40d5000100010001"), hex("80d4000701020304"), hex("80d60001") + [UInt8](repeating: 0, count: 11),
    ] { #expect(AudioControlPacket(bytes: bytes) == nil) }
    var random = SeededGenerator(seed: 2)
    for _ in 0..<5000 {
      let bytes = [0x80 | UInt8.random(in: 0...31, using: &random), UInt8.random(in: 0xD3...0xD7, using: &random)]
      let read = AudioControlPacket(bytes: bytes + random.bytes(Int.random(in: 0...30, using: &random)))
      if let read { #expect(AudioControlPacket(bytes: read.bytes) == read) }
    }
  }

  // MARK: History

  @Test func theHistoryAnswersWithThePacketsThatItKeeps() {
    func sent(_ sequence: UInt16) -> [UInt8] {
      [0x80, 100, UInt8(sequence >> 8), UInt8(sequence & 255)] + [UInt8](repeating: 7, count: 8)
    }
    func sequences(
      _ history: AudioHistory, _ first: UInt16, _ count: UInt16, at time: MonotonicTime = .zero
    ) -> [UInt16] {
      var history = history
      return history.answers(to: AudioRetransmitRequest(first: first, count: count), at: time).map {
        guard case .retransmitted(let sequence, let packet) = $0, packet == sent(sequence) else { return 0xDEAD }
        return sequence
      }
    }
    var history = AudioHistory(capacity: 100)
    #expect(sequences(history, 0, 64) == [])
    history.add([1, 2, 3])
    for number in 65_500..<65_700 { history.add(sent(UInt16(truncatingIfNeeded: number))) }
    // 128 packets are kept, from 65572 (36) to 65699 (163).
    #expect(sequences(history, 30, 8) == [36, 37])
    #expect(sequences(history, 160, 100) == [160, 161, 162, 163])
    #expect(sequences(history, 40, .max).count == AudioRetransmitRequest.maximumCount)
    #expect(sequences(history, 65_535, 1) == [] && sequences(history, 40, 0) == [])
    for capacity in [Int.min, 0, 1] {
      var least = AudioHistory(capacity: capacity)
      for number in 0..<3 { least.add(sent(UInt16(number))) }
      #expect(sequences(least, 0, 3) == [2])
    }
  }

  // MARK: Order

  private func packet(_ number: Int) -> AudioPacket {
    AudioPacket(
      type: 100, sequence: UInt16(truncatingIfNeeded: number), timestamp: UInt32(truncatingIfNeeded: number &* 352),
      source: 1, payload: [UInt8(truncatingIfNeeded: number)])
  }

  private func numbers(_ events: [AudioReceiver.Event]) -> [String] {
    events.map {
      switch $0 {
      case .packet(let packet, let time): "\(packet.sequence)@\(time / 352)"
      case .lost(let first, let count): "lost \(first)+\(count)"
      case .restarted: "restarted"
      }
    }
  }

  @Test func packetsLeaveInOrderOnceAndAcrossTheWraps() {
    var receiver = AudioReceiver()
    let start = (1 << 32) - 2
    var events: [AudioReceiver.Event] = []
    for offset in [0, 2, 1, 1, 4, 5, 3, 0] { events += receiver.take(packet(start + offset), at: 0) }
    #expect(numbers(events) == ["65534@0", "65535@1", "0@2", "1@3", "2@4", "3@5"])
    #expect(receiver.staleCount == 2 && receiver.lostCount == 0 && receiver.waitingCount == 0)
    #expect(receiver.requests(at: 0) == [] && receiver.deadline == nil && receiver.advance(to: .max) == [])
  }

  @Test func missingPacketsAreRequestedAtIntervalsAndThenLost() {
    var receiver = AudioReceiver(lossTime: 100, requestInterval: 20)
    _ = receiver.take(packet(10), at: 0)
    #expect(receiver.take(packet(13), at: 5) == [] && receiver.take(packet(15), at: 50) == [])
    let (early, late) = (AudioRetransmitRequest(first: 11, count: 2), AudioRetransmitRequest(first: 14, count: 1))
    #expect(receiver.requests(at: 50) == [early, late])
    #expect(receiver.requests(at: 69) == [])
    #expect(receiver.requests(at: 70) == [early, late])
    // Half of the first run arrives.
    #expect(numbers(receiver.take(packet(11), at: 75)) == ["11@1"])
    #expect(receiver.requests(at: 89) == [])
    #expect(receiver.requests(at: 90) == [AudioRetransmitRequest(first: 12, count: 1), late])
    #expect(receiver.deadline == 105 && receiver.advance(to: 104) == [])
    #expect(numbers(receiver.advance(to: 105)) == ["lost 12+1", "13@3"])
    #expect(receiver.deadline == 150)
    #expect(numbers(receiver.advance(to: 150)) == ["lost 14+1", "15@5"])
    #expect(receiver.take(packet(14), at: 151) == [] && receiver.staleCount == 1 && receiver.lostCount == 2)
  }

  @Test func theTimeOfTheNextSampleTellsWhichOfTheLastPacketsAreMissing() {
    var receiver = AudioReceiver(lossTime: 100, requestInterval: 20)
    receiver.announce(next: 352, at: 0, rate: 48_000)
    _ = receiver.take(packet(10), at: 0)
    receiver.announce(next: 20 * 352, at: 0, rate: 48_000)
    // Nothing is known before two packets in order have arrived, and nothing is missing behind the last one.
    _ = receiver.take(packet(11), at: 0)
    let others: [UInt32] = [12 * 352, 3924, 5 * 352, .max, 76 * 352]
    for next in others {
      receiver.announce(next: next, at: 1, rate: 48_000)
      #expect(receiver.requests(at: 1) == [] && receiver.deadline == nil)
    }
    // Twenty packets cannot have been sent in a moment. An announcement has no tag.
    receiver.announce(next: 31 * 352, at: 9, rate: 48_000)
    #expect(receiver.requests(at: 9) == [] && receiver.deadline == nil)
    // The last packet has 100 samples.
    for _ in 0..<2 { receiver.announce(next: 14 * 352 + 100, at: 10, rate: 48_000) }
    #expect(receiver.requests(at: 10) == [AudioRetransmitRequest(first: 12, count: 3)])
    #expect(receiver.take(packet(13), at: 15) == [])
    #expect(numbers(receiver.take(packet(12), at: 16)) == ["12@2", "13@3"])
    #expect(receiver.requests(at: 30) == [AudioRetransmitRequest(first: 14, count: 1)])
    #expect(numbers(receiver.advance(to: 110)) == ["lost 14+1"])
    #expect(numbers(receiver.take(packet(15), at: 120)) == ["15@5"])
    #expect(receiver.deadline == nil)
  }

  @Test func oneRequestAsksForAtMost64Packets() {
    var receiver = AudioReceiver()
    _ = receiver.take(packet(65_500), at: 0)
    _ = receiver.take(packet(65_500 + 201), at: 0)
    let requests = receiver.requests(at: 0)
    #expect(requests.map(\.first) == [65_501, 29, 93, 157] && requests.map(\.count) == [64, 64, 64, 8])
  }

  @Test func atMost512NumbersWaitForAMissingPacket() {
    var receiver = AudioReceiver(lossTime: .max)
    _ = receiver.take(packet(0), at: 0)
    for number in 2...AudioReceiver.maximumWaitingCount { #expect(receiver.take(packet(number), at: 0) == []) }
    #expect(receiver.waitingCount == AudioReceiver.maximumWaitingCount - 1)
    let events = numbers(receiver.take(packet(AudioReceiver.maximumWaitingCount + 1), at: 0))
    #expect(events.first == "lost 1+1" && events.last == "513@513" && events.count == 513)
  }

  @Test func twoConsecutivePacketsElsewhereRestartTheOrder() {
    var receiver = AudioReceiver()
    _ = receiver.take(packet(100), at: 0)
    _ = receiver.take(packet(102), at: 0)
    // A single distant packet is a changed number.
    #expect(receiver.take(packet(20_000), at: 1) == [])
    #expect(numbers(receiver.take(packet(101), at: 1)) == ["101@1", "102@2"])
    _ = receiver.take(packet(104), at: 1)
    for number in [20_000, 30_000, 40_000] { #expect(receiver.take(packet(number), at: 2) == []) }
    #expect(
      numbers(receiver.take(packet(40_001), at: 2))
        == ["lost 103+1", "104@4", "restarted", "\(40_000)@39900", "\(40_001)@39901"])
    #expect(numbers(receiver.take(packet(40_002), at: 3)) == ["40002@39902"])
  }

  @Test func everyPayloadArrivesInOrderWhenFivePercentOfTheDatagramsAreLost() {
    let key = Secret([UInt8](repeating: 3, count: 32))
    let (count, first) = (3000, 65_000)
    for seed in UInt64(1)...3 {
      var random = SeededGenerator(seed: seed)
      var (sealer, opener) = (AudioSealer(key: key), AudioOpener(key: key))
      var (history, receiver) = (AudioHistory(), AudioReceiver())
      var events: [AudioReceiver.Event] = []
      // The datagrams in transit, by the millisecond of arrival.
      var (toReceiver, toSender): ([Int: [[UInt8]]], [Int: [[UInt8]]]) = ([:], [:])
      func send(_ bytes: [UInt8], _ way: inout [Int: [[UInt8]]], _ tick: Int) {
        guard Int.random(in: 0..<100, using: &random) >= 5 else { return }
        way[tick + Int.random(in: 2...20, using: &random), default: []].append(bytes)
      }
      for tick in 0..<(count * 8 + 400) {
        let now = Int64(tick) * Self.millisecond
        if tick % 8 == 0, tick / 8 < count {
          let sealed = sealer.seal(packet(first + tick / 8))
          history.add(sealed)
          // The first and the last packet always arrive, because the receiver cannot know of others before and after
          // them.
          if tick == 0 || tick / 8 == count - 1 {
            toReceiver[tick + 1, default: []].append(sealed)
          } else {
            send(sealed, &toReceiver, tick)
          }
        }
        for datagram in toReceiver.removeValue(forKey: tick) ?? [] {
          var sealed = datagram
          if case .retransmitted(_, let packet)? = AudioControlPacket(bytes: datagram) { sealed = packet }
          if let packet = opener.open(sealed) { events += receiver.take(packet, at: now) }
        }
        events += receiver.advance(to: now)
        for request in receiver.requests(at: now) {
          send(AudioControlPacket.retransmitRequest(request).bytes, &toSender, tick)
        }
        for datagram in toSender.removeValue(forKey: tick) ?? [] {
          guard case .retransmitRequest(let request)? = AudioControlPacket(bytes: datagram) else { continue }
          for answer in history.answers(to: request, at: MonotonicTime(nanoseconds: now)) {
            send(answer.bytes, &toReceiver, tick)
          }
        }
      }
      let expected = (0..<count).map { AudioReceiver.Event.packet(packet(first + $0), time: Int64($0 * 352)) }
      #expect(events == expected, "seed \(seed): \(receiver.lostCount) lost")
    }
  }

  @Test func anyNumbersAndTimesNeverTrap() {
    var random = SeededGenerator(seed: 4)
    let times: [Int64] = [.min, -1, 0, 1, .max]
    for lossTime in times {
      var receiver = AudioReceiver(lossTime: lossTime, requestInterval: lossTime)
      var place: UInt16 = 0
      for _ in 0..<2000 {
        place =
          Int.random(in: 0..<20, using: &random) == 0
          ? UInt16.random(in: 0...(.max), using: &random) : place &+ UInt16.random(in: 0...9, using: &random) &- 3
        let packet = AudioPacket(
          type: 100, sequence: place, timestamp: UInt32.random(in: 0...(.max), using: &random), source: 0, payload: [])
        _ = receiver.take(packet, at: times[Int.random(in: times.indices, using: &random)])
        _ = receiver.requests(at: times[Int.random(in: times.indices, using: &random)])
        receiver.announce(
          next: UInt32.random(in: 0...(.max), using: &random), at: times[Int.random(in: times.indices, using: &random)],
          rate: 48_000)
        if Bool.random(using: &random) {
          _ = receiver.advance(to: times[Int.random(in: times.indices, using: &random)])
        }
        _ = receiver.deadline
        #expect(receiver.waitingCount < AudioReceiver.maximumWaitingCount)
      }
    }
  }
}
