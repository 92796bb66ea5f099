// swift-iap2 · Apache-2.0

import CarPlaySession
import HIDReports

/// The target for report descriptors with reports: fields lie inside their reports, and the same report twice has no
/// change the second time, relative numbers aside.
///
/// Input: two bytes for the length of the descriptor, the descriptor, then reports behind their lengths.
enum InputTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    var program = Program(bytes)
    let source = program.take(Int(program.number16()))
    let limits = HIDDescriptorLimits.carPlay
    let descriptor: HIDReportDescriptor
    do throws(HIDDescriptorProblem) {
      descriptor = try HIDReportDescriptor(source, limits: limits)
    } catch { return }
    try require(descriptor.fields.count <= limits.fieldCount, "\(descriptor.fields.count) fields")
    for field in descriptor.fields {
      let bits = descriptor.bitCounts[field.report] ?? 0
      try require(field.bitOffset + field.bitCount <= bits, "a field at \(field.bitOffset) of \(bits) bits")
      try require((1...32).contains(field.bitCount), "a field of \(field.bitCount) bits")
      if let index = field.collection { try require(index < descriptor.collections.count, "no collection \(index)") }
    }
    for bits in descriptor.bitCounts.values {
      try require(bits <= limits.reportBitCount, "a report of \(bits) bits")
    }
    try read(descriptor, &program)
  }

  private static func read(_ descriptor: HIDReportDescriptor, _ program: inout Program) throws(Finding) {
    var reader = InputReader(descriptor: descriptor, width: 1280, height: 720)
    let isAbsolute = !descriptor.fields.contains { $0.report.kind == .input && $0.isRelative }
    while !program.isOver {
      let report = program.take(Int(program.byte()))
      let values: [HIDValue]
      var again: [InputEvent] = []
      do throws(HIDReportProblem) {
        values = try descriptor.inputs(in: report)
        _ = try reader.take(report)
        again = try reader.take(report)
      } catch {
        // A report that the descriptor does not have, which is told and changes nothing.
        continue
      }
      try require(values.allSatisfy { $0.range.contains($0.value) }, "a value out of its range")
      if isAbsolute { try require(again.isEmpty, "\(again.count) changes of the same report") }
    }
  }
}

/// The target for video: a configuration is written and read as the same, byte streams and bodies of frames too, and
/// access units have every unit of the stream once.
///
/// Input: a byte for the form, and its bytes.
enum VideoTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    var program = Program(bytes)
    let form = program.byte()
    let body = program.takeAll()
    do throws(VideoProblem) {
      switch form % 3 {
      case 0: try checkConfiguration(body)
      case 1: try checkStream(body)
      default: try checkFrame(body, lengthSize: [1, 2, 4][Int(form / 3) % 3])
      }
    } catch {
      // The bound of this check's own problem is negative.
      if case .frameTooLong(-1) = error { throw Finding("form \(form % 3) is another when written") }
    }
  }

  private static let difference = VideoProblem.frameTooLong(-1)

  private static func checkConfiguration(_ body: [UInt8]) throws(VideoProblem) {
    let configuration = try AVCConfiguration(body: body)
    _ = configuration.annexB
    do throws(VideoProblem) {
      let size = try configuration.sequenceParameters()
      if size.width > SequenceParameters.maximumSide || size.height > SequenceParameters.maximumSide {
        throw difference
      }
    } catch { if error == difference { throw error } }
    // A record with the letters of its own box inside would be read from there.
    guard !configuration.bytes.containsBoxName else { return }
    if try AVCConfiguration(body: configuration.bytes) != configuration { throw difference }
  }

  private static func checkStream(_ bytes: [UInt8]) throws(VideoProblem) {
    let units = try AnnexB.units(of: bytes)
    let access = try AnnexB.accessUnits(of: bytes)
    guard access.flatMap(\.units) == units else { throw difference }
    guard !units.isEmpty else { return }
    if try AnnexB.units(of: AnnexB.bytes(of: units)) != units { throw difference }
    for unit in access {
      do throws(VideoProblem) {
        if try FrameBody.units(of: FrameBody.bytes(of: unit.frameUnits)) != unit.frameUnits { throw difference }
        let configuration = try AVCConfiguration(unit.parameterSets)
        guard !configuration.bytes.containsBoxName else { continue }
        if try AVCConfiguration(body: configuration.bytes) != configuration { throw difference }
      } catch { if error == difference { throw error } }
    }
  }

  private static func checkFrame(_ body: [UInt8], lengthSize: Int) throws(VideoProblem) {
    let units = try FrameBody.units(of: body, lengthSize: lengthSize)
    if units.count > FrameBody.maximumUnitCount { throw difference }
    if try FrameBody.units(of: FrameBody.bytes(of: units)) != units { throw difference }
  }
}

extension [UInt8] {
  fileprivate var containsBoxName: Bool {
    let letters = Array("avcC".utf8)
    return indices.contains { self[$0...].starts(with: letters) }
  }
}
