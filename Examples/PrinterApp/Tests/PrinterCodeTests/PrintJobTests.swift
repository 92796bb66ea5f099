import ExternalAccessoryTesting
import PrinterCode
import Testing

private let document = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

/// There is one phone in a process, so its tests run one after another. The jobs live on the main thread.
@MainActor @Suite(.serialized, .timeLimit(.minutes(1))) struct PrintJobTests {
  private let printer = EmulatedPrinter()

  private func until(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func theWholeDocumentIsPrinted() async throws {
    _ = try await printer.attach()
    let job = try #require(PrintJob(document))
    try await until { job.outcome != nil }
    #expect(job.outcome == .printed)
    #expect(printer.documents == [document])
  }

  @Test func aPulledCableFailsTheJobAndTheNextOnePrints() async throws {
    let attached = try await printer.attach()
    // The document is not printed before the cable is pulled, however late this test pulls it.
    printer.isJammed = true
    let job = try #require(PrintJob(document))
    try await until { printer.receivedByteCount > 10_000 }
    await attached.unplug()
    #expect(job.outcome == .failed && printer.documents.isEmpty)
    printer.isJammed = false
    #expect(PrintJob(document) == nil, "there is no printer now")

    await attached.plug()
    let next = try #require(PrintJob(document))
    try await until { next.outcome != nil }
    #expect(next.outcome == .printed && printer.documents == [document])
  }

  @Test func aPrinterThatEndsTheSessionFailsTheJob() async throws {
    let attached = try await printer.attach()
    printer.isJammed = true
    let job = try #require(PrintJob(document))
    await attached.close(PrinterProtocol.name)
    try await until { job.outcome != nil }
    #expect(job.outcome == .failed)
  }

  @Test func theNaiveJobPrintsAShortDocument() async throws {
    _ = try await printer.attach()
    let job = try #require(NaivePrintJob([1, 2, 3]))
    try await until { !printer.documents.isEmpty }
    #expect(job.isDone && printer.documents == [[1, 2, 3]])
  }

  /// The buffer of the stream is full after 4096 bytes, and no code writes the rest.
  @Test func theNaiveJobIsDoneButALongDocumentDoesNotArrive() async throws {
    let attached = try await printer.attach()
    let job = try #require(NaivePrintJob(document))
    try await until { printer.receivedByteCount == 4096 }
    #expect(job.isDone)
    await attached.unplug()
    #expect(job.isDone && printer.documents.isEmpty, "the job does not know that it has failed")
  }
}
