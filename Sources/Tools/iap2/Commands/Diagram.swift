// swift-iap2 · Apache-2.0

import ArgumentParser
import CarPlayCommand
import CommandSupport
import Foundation
import IAP2
import IAP2Analysis
import IAP2Capture

struct Diagram: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Draw a capture's sessions as sequence diagrams.",
    discussion: """
      Reads every format of `iap2 decode`. The diagram has a lane for each side and an arrow for each step: detect, \
      synchronization, control messages, data of EA sessions and files (datagrams of one kind in a row \
      are one arrow), resets, retransmitted packets, damage, and comments of the capture. Without --link, packets that \
      only acknowledge or carry data are left out. Consecutive steps of one kind share a row, which shows their number. An HTML page shows \
      each step's details on hover, finds rows by words, and shows and hides kinds of steps; an SVG has the details as \
      titles. Both are a single file without dependencies, light or dark as the viewer is set.

      The CarPlay sessions of a network capture follow the connections: requests, answers, and runs of pictures, sound \
      and clock, behind the iAP2 that brought them up, the announcements of Bonjour and the control request. With \
      --key-log, messages have their values.

      Examples:
        iap2 diagram captures/synthetic/worked-session.txt -o session.html
        iap2 run music --capture music.pcapng && iap2 diagram music.pcapng -o music.svg --time scale
        iap2 diagram --gap 2 --link bluetooth.btsnoop -o link.html
        iap2 diagram day.pcapng --filter 'time > 20 and time < 30' -o calls.html
        iap2 diagram carplay.pcapng --key-log secrets.txt --session 1 -o carplay.html
        iap2 diagram - < usb.pcapng > usb.svg
      """)

  @Argument(help: "The capture, or - for standard input.", completion: .file())
  var file: String

  @Option(name: .shortAndLong, help: "The file to write, or - for standard output.", completion: .file())
  var output = "-"

  @Option(
    help: ArgumentHelp(
      "svg or html (default: by the output's extension, svg on standard output).", valueName: "format"),
    transform: { text in
      guard let format = DiagramDocument.Format(rawValue: text) else {
        throw ValidationError("a format is svg or html, not \(text)")
      }
      return format
    })
  var to: DiagramDocument.Format?

  enum Time: String, ExpressibleByArgument, CaseIterable { case folded, scale }

  @Option(help: "The time axis: folded (one row per step, silence as breaks) or scale (distances are times).")
  var time = Time.folded

  @Option(help: "Seconds of silence that are drawn as a break and end a run of data.")
  var gap = 0.2

  @Flag(help: "Show every link packet.")
  var link = false

  @Option(help: "Draw only the connection with this number, as `iap2 decode` shows it.")
  var connection: Int?

  @Option(help: "Draw only the CarPlay session with this number, as `iap2 decode` shows it.")
  var session: Int?

  @OptionGroup var wanted: FilterOptions

  @OptionGroup var source: CaptureOptions

  func validate() throws {
    guard gap > 0, gap < 1e9 else { throw ValidationError("--gap takes seconds, above 0") }
    try SessionChoice.validate(connection: connection, session: session)
    if to == nil, output != "-", DiagramDocument.Format(path: output) == nil {
      throw ValidationError("the output's format is unknown: end its name in .svg or .html, or give --to")
    }
  }

  func run() throws {
    let input = try CaptureInput(file)
    guard output == "-" || !OutputFile.isSame(file, output) else {
      throw CommandFailure(.usage, "\(output) is the capture itself: name another output file")
    }
    let target = output == "-" ? nil : try OutputFile.open(output)
    let document = try read(input)
    if let target { OutputFile.empty(target) }
    try write(document, to: target)
  }

  private func read(_ input: CaptureInput) throws -> DiagramDocument {
    var options = SequenceDiagramOptions()
    options.connection = connection
    options.session = session
    options.showsPackets = link
    options.pause = gap
    options.filter = wanted.filter
    var analyzer = CaptureAnalyzer(options: try source.options, sink: SequenceDiagramSink(options: options))
    while let bytes = try input.next() { analyzer.append(bytes) }
    analyzer.finish()
    CaptureInput.show(analyzer, of: file)
    let (numbers, sessions) = (analyzer.sink.connectionNumbers, analyzer.sink.sessionNumbers)
    guard !numbers.isEmpty || !sessions.isEmpty else {
      throw CommandFailure(.badInput, CaptureInput.nothing(in: file, analyzer))
    }
    if let problem = DiagramWords.problem(connection, of: numbers, session, of: sessions) {
      throw CommandFailure(.badInput, "\(file) has \(problem)")
    }
    let diagram = analyzer.diagram
    if diagram.connections.isEmpty { Output.note("no finding matches the filter") }
    for drawn in diagram.connections where drawn.leftOut > 0 {
      let name = drawn.subject == .session ? "CarPlay session" : "connection"
      Output.note("\(name) \(drawn.number): \(DiagramWords.leftOut(drawn))")
    }
    if diagram.placelessDamage > 0 {
      Output.note(
        "\(DiagramStep.count(diagram.placelessDamage, "error")) outside of every session; iap2 decode shows them")
    }
    let hasTimes = diagram.connections.contains { $0.steps.contains { $0.time != nil } }
    if time == .scale, !hasTimes { Output.note("\(file) has no times: drawn without a time scale") }
    return DiagramDocument(
      name: file == "-" ? "standard input" : URL(filePath: file).lastPathComponent, diagram: diagram,
      transports: analyzer.transports(of: diagram),
      start: analyzer.startNanoseconds.map { Date(timeIntervalSince1970: Double($0) / 1e9) },
      time: time == .folded ? .folded(pause: gap) : .scaled)
  }

  /// The bytes of text that are buffered before a write.
  private static let chunkByteCount = 1 << 18

  /// - Parameter target: nil for standard output.
  private func write(_ document: DiagramDocument, to target: FileHandle?) throws {
    var text = ""
    func flush() throws {
      defer { text = "" }
      guard let target else { return Output.text(text) }
      do { try target.write(contentsOf: Data(text.utf8)) } catch {
        throw CommandFailure(.failed, "cannot write \(output): \(InputFile.reason(error))")
      }
    }
    try document.write(to ?? DiagramDocument.Format(path: output) ?? .svg) { piece in
      text += piece
      if text.utf8.count > Self.chunkByteCount { try flush() }
    }
    try flush()
  }
}
