// swift-iap2 · Apache-2.0

import CaptureSupport
import CarPlayCapture
import IAP2
import IAP2Analysis
import IAP2Capture
import Testing

/// Diagrams of CarPlay sessions.
@Suite struct DiagramTests {
  private func sink(_ sample: Sample, _ change: (inout SequenceDiagramOptions) -> Void = { _ in }) throws
    -> SequenceDiagramSink
  {
    var secrets = SessionSecrets()
    secrets.add(try sample.keyLog)
    var (options, drawing) = (CaptureAnalyzerOptions(), SequenceDiagramOptions())
    options.sessions = CarPlaySessions(secrets)
    change(&drawing)
    var analyzer = CaptureAnalyzer(options: options, sink: SequenceDiagramSink(options: drawing))
    analyzer.append(try sample.bytes)
    analyzer.finish()
    return analyzer.sink
  }

  @Test("A session is drawn between head unit and phone, behind the iAP2 inside it")
  func lanes() throws {
    let sink = try sink(.phone)
    #expect(sink.diagram.connections.map(\.subject) == [.connection, .session])
    #expect(sink.connectionNumbers == [1] && sink.sessionNumbers == [1])
    let text = svg(sink)
    for word in [
      "<title>x: CarPlay sequence diagram</title>", "head unit", "POST /pair-setup", "200 OK to GET /info",
      "duckAudio -20.0", "CarPlay session 1",
    ] {
      #expect(text.contains(word), "\(word)")
    }
  }

  @Test("Pictures in a row are one step, so a film does not hide the messages")
  func runs() throws {
    let session = try #require(try sink(.phone).diagram.connections.last)
    let findings = try lines(Sample.phone.bytes, keys: Sample.phone.keyLog)
    let pictures = findings.findings(.picture).count
    #expect(session.steps.count < findings.findings.count - pictures / 2)
    #expect(svg(try sink(.phone)).contains("screen: frame"))
  }

  @Test("--session and --connection choose what is drawn")
  func chosen() throws {
    #expect(try sink(.phone) { $0.session = 1 }.diagram.connections.map(\.subject) == [.session])
    #expect(try sink(.phone) { $0.connection = 1 }.diagram.connections.map(\.subject) == [.connection])
    #expect(try sink(.phone) { $0.session = 2 }.diagram.connections.isEmpty)
    let filter = try FindingFilter(parsing: "statusCode = 200")
    let answers = try sink(.phone) { ($0.session, $0.filter) = (1, filter) }.diagram.connections
    #expect(answers.first?.steps.allSatisfy { $0.from == .accessory } == true)
  }

  private func svg(_ sink: SequenceDiagramSink) -> String {
    let diagram = sink.diagram
    var text = ""
    DiagramDocument(
      name: "x", diagram: diagram, transports: diagram.connections.map { "CarPlay session \($0.number)" }, start: nil,
      time: .folded(pause: 0.2)
    ).write(.svg) { text += $0 }
    return text
  }
}
