// swift-iap2 · Apache-2.0

import CarPlaySession
import Testing

@Suite struct RequestTests {
  private let info = "GET /info?txt=1 RTSP/1.0\r\nCSeq: 5\r\nuser-AGENT:  AirPlay/1 \r\nContent-Length: 3\r\n\r\nabc"

  private func read(_ bytes: [UInt8], piece: Int) throws -> [RequestMessage] {
    var reader = RequestReader()
    var messages: [RequestMessage] = []
    for start in stride(from: 0, to: bytes.count, by: piece) {
      reader.add(bytes[start..<min(start + piece, bytes.count)])
      while let message = try reader.next() { messages.append(message) }
    }
    return messages
  }

  @Test func aRequestIsReadHoweverItIsCutAndPipelined() throws {
    let bytes = Array((info + info + "RECORD rtsp://[fe80::1]/1 RTSP/1.0\r\n\r\n" + info).utf8)
    let whole = try read(bytes, piece: bytes.count)
    #expect(whole.count == 4)
    for piece in [1, 2, 3, 17, 100] { #expect(try read(bytes, piece: piece) == whole) }
    #expect(whole[0].path == "/info" && whole[0].sequence == "5" && whole[0].headers["User-Agent"] == "AirPlay/1")
    #expect(whole[0].body == Array("abc".utf8))
    #expect(whole[2].start == .request(method: "RECORD", path: "rtsp://[fe80::1]/1", protocolWord: "RTSP/1.0"))
    #expect(whole[2].sequence == nil && whole[2].body.isEmpty)
  }

  @Test func spaceBeforeAMarkIsSpace() throws {
    let bytes = Array("OPTIONS * RTSP/1.0\r\nA: \u{301}b \r\n\r\n".utf8)
    let message = try #require(try read(bytes, piece: bytes.count).first)
    #expect(message.headers["A"].map { Array($0.utf8) } == Array("\u{301}b".utf8))
    #expect(try read(message.bytes, piece: 5) == [message])
  }

  @Test func anAnswerRepeatsNumberAndProtocol() throws {
    let request = RequestMessage(
      .request(method: "POST", path: "/pair-setup", protocolWord: "HTTP/1.1"),
      headers: RequestHeaders([("cseq", "9")]))
    let answer = request.answer(453, headers: [("Server", "AirTunes/320.17")])
    #expect(
      String(decoding: answer.bytes, as: UTF8.self)
        == "HTTP/1.1 453 Not Enough Bandwidth\r\nCSeq: 9\r\nServer: AirTunes/320.17\r\nContent-Length: 0\r\n\r\n")
    #expect(try read(answer.bytes, piece: 1) == [answer])
    let plain = RequestMessage(.request(method: "OPTIONS", path: "*", protocolWord: "RTSP/1.0")).answer(200)
    #expect(!String(decoding: plain.bytes, as: UTF8.self).contains("CSeq"))
  }

  @Test(arguments: [
    ("GET /info\r\n\r\n", RequestReader.Problem.badStart), ("GET /info RTSP/2.0\r\n\r\n", .badStart),
    (" /info RTSP/1.0\r\n\r\n", .badStart), ("RTSP/1.0 20x OK\r\n\r\n", .badStart),
    ("RTSP/1.0 +20 OK\r\n\r\n", .badStart), ("GET / RTSP/1.0\r\nno colon\r\n\r\n", .badHeaders),
    ("GET / RTSP/1.0\r\n: x\r\n\r\n", .badHeaders), ("GET / RTSP/1.0\r\nContent-Length: -1\r\n\r\n", .badLength),
    ("GET / RTSP/1.0\r\nContent-Length: 0x10\r\n\r\n", .badLength),
    ("GET / RTSP/1.0\r\nContent-Length: \r\n\r\n", .badLength),
    ("GET / RTSP/1.0\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", .badLength),
    ("GET / RTSP/1.0\r\nCSeq: 1\rX: 2\r\n\r\n", .badHeaders), ("GET / RTSP/1.0\r\nCSeq: 1\nX: 2\r\n\r\n", .badHeaders),
    ("GET /\n RTSP/1.0\r\n\r\n", .badHeaders),
    ("GET / RTSP/1.0\r\nContent-Length: 1048577\r\n\r\n", .bodyTooLong),
    ("GET / RTSP/1.0\r\nContent-Length: 99999999999999999999\r\n\r\n", .bodyTooLong),
  ])
  func aBadRequestHasAReason(text: String, problem: RequestReader.Problem) {
    #expect(throws: problem) { try read(Array(text.utf8), piece: 1000) }
    #expect(problem.status == (problem == .bodyTooLong ? 413 : 400))
  }

  @Test func headersWithoutAnEndAreRefusedAndNotKept() {
    #expect(throws: RequestReader.Problem.badHeaders) {
      try read(Array("GET / RTSP/1.0\r\n".utf8) + [UInt8](repeating: 0x61, count: 17 << 10), piece: 1000)
    }
    #expect(throws: RequestReader.Problem.badHeaders) { try read([0xFF, 0xFE] + Array("\r\n\r\n".utf8), piece: 10) }
  }
}
