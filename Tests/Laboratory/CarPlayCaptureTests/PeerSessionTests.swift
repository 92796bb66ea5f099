// swift-iap2 · Apache-2.0

import CaptureSupport
import CarPlayCapture
import CarPlaySession
import Foundation
import IAP2
import IAP2Capture
import Testing

/// Sessions with the peer in Python: what the reader finds is what the peer sent.
@Suite struct PeerSessionTests {
  @Test("The steps of a session are those of the phone in Python, in its order")
  func steps() throws {
    let requests = try lines(Sample.phone.bytes, keys: Sample.phone.keyLog).filter { $0.from == .device }
      .findings(.request).map { $0.text.replacing(#/rtsp://[^,]*/#, with: "URL").replacing(#/, identity.*/#, with: "") }
    #expect(
      requests.filter { !$0.hasPrefix("POST /feedback") } == [
        "POST /pair-setup, M1", "POST /pair-setup, M3", "POST /pair-setup, M5", "POST /pair-verify, M1",
        "POST /pair-verify, M3", "POST /auth-setup, version 1", "SETUP URL", "GET /info", "RECORD URL",
        "POST /command, modesChanged", "SETUP URL, screen", "POST /command, modesChanged", "SETUP URL, bufferedAudio",
        "SETUP URL, data", "SETUP URL, mainAudio", "SETRATE URL", "GETANCHOR URL", "SETRATEANCHORTIME URL",
        "TEARDOWN URL, bufferedAudio", "TEARDOWN URL, mainAudio", "POST /command, duckAudio -20.0",
        "SETUP URL, alternateAudio", "TEARDOWN URL, alternateAudio", "POST /command, unduckAudio", "TEARDOWN URL",
      ])
  }

  @Test("Every request is answered, and nothing is wrong or sealed", arguments: Sample.allCases)
  func complete(sample: Sample) throws {
    let found = try lines(sample.bytes, keys: sample.keyLog)
    #expect(found.findings(.problem) == [] && found.findings(.sealed) == [])
    #expect(found.findings(.answer).count == found.findings(.request).count)
    #expect(found.findings(.answer).allSatisfy { $0.text.hasPrefix("200") })
  }

  @Test(
    "The proof of the password, the signatures of both sides and that of auth-setup are right",
    arguments: Sample.allCases)
  func proofs(sample: Sample) throws {
    let found = try lines(sample.bytes, keys: sample.keyLog).findings
    let proofs = found.flatMap { $0.fields.filter { $0.name == .proof }.map(\.value.text) }
    #expect(proofs == ["proof right"] + [String](repeating: "signature right", count: 5))
  }

  @Test("The film is the one that the phone in Python read from its file")
  func film() throws {
    let extracted = Extracted()
    let found = try lines(Sample.phone.bytes, keys: Sample.phone.keyLog, extract: extracted.extraction)
    #expect(found.findings(.picture).count { $0.text.contains("frame") } == 30)
    let file = CaptureFiles.root.appending(path: "../Tests/Protocol/CarPlaySessionTests/Fixtures/clip.h264")
    let slices = { (bytes: [UInt8]) in try AnnexB.units(of: bytes).filter(\.isSlice) }
    #expect(try slices(extracted.bytes("screen")) == slices(Array(Data(contentsOf: file))))
  }

  @Test("The music is the tone that the phone in Python sent, and the prompt the same")
  func sound() throws {
    let extracted = Extracted()
    _ = try lines(Sample.phone.bytes, keys: Sample.phone.keyLog, extract: extracted.extraction)
    #expect(extracted.bytes("mainAudio") == Self.tone)
    #expect(extracted.bytes("alternateAudio") == Self.tone)
  }

  /// A tenth of a second of 440 Hz, 16 bits, left and right of opposite signs, big endian on the wire.
  private static let tone = (0..<4800).flatMap { index -> [UInt8] in
    let value = Int16(8000 * sin(2 * Double.pi * 440 * Double(index) / 48000))
    return [value, -value].flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
  }

  @Test("A session of the generation without pairing is opened with the secret of auth-setup")
  func withoutPairing() throws {
    let extracted = Extracted()
    let found = try lines(
      CaptureFiles.bytes("carplay/peer-phone-210.pcap"), keys: CaptureFiles.bytes("carplay/peer-phone-210.keys"),
      extract: extracted.extraction)
    #expect(found.findings(.problem) == [] && found.findings(.sealed) == [])
    #expect(found.findings(.request).first?.text == "POST /auth-setup, version 1")
    let file = CaptureFiles.root.appending(path: "../Tests/Protocol/CarPlaySessionTests/Fixtures/clip.h264")
    let slices = { (bytes: [UInt8]) in try AnnexB.units(of: bytes).filter(\.isSlice) }
    #expect(try slices(extracted.bytes("screen")) == slices(Array(Data(contentsOf: file))))
    #expect(extracted.bytes("mainAudio") == Self.tone)
  }

  @Test("The head unit in Python touches the screen, which its descriptor says")
  func touches() throws {
    let commands = try lines(Sample.headUnit.bytes, keys: Sample.headUnit.keyLog).filter { $0.from == .accessory }
      .findings(.request).map(\.text)
    #expect(
      commands == [
        "POST /command, hidSendReport, touch, down, x 320, y 200",
        "POST /command, hidSendReport, touch, up, x 320, y 200",
      ])
  }

  @Test("The bytes of iAP2 inside the session are a connection of their own")
  func link() throws {
    let found = try lines(Sample.phone.bytes, keys: Sample.phone.keyLog)
    #expect(found.contains { $0.content == .detect && $0.from == .device })
  }
}
