// swift-iap2 · Apache-2.0

import CarPlaySession

/// Gray pictures of H.264 for probes: the smallest ones that every decoder can read.
///
/// A key frame has macroblocks that are predicted from nothing and have no residue, so they are gray. The pictures
/// after it skip every macroblock. Source: [H264], 7.3.
struct SamplePicture {
  /// The size in pixels.
  let width, height: Int

  /// The sides that pictures have. A peer may name any, and a picture of every size that it names could be larger than
  /// the memory.
  private static let sides = 16...4096

  /// Creates pictures of a size, or of the nearest one that pictures have.
  init(width: Int, height: Int) {
    func side(_ pixels: Int) -> Int { min(max(pixels, Self.sides.lowerBound), Self.sides.upperBound) & ~1 }
    (self.width, self.height) = (side(width), side(height))
  }

  private var columns: Int { (width + 15) / 16 }
  private var rows: Int { (height + 15) / 16 }

  /// The configuration: an avcC record, and the size in the header.
  var configuration: ScreenMessage {
    let (sequence, picture) = (sequenceParameters, pictureParameters)
    let record: [UInt8] =
      [1, sequence[1], sequence[2], sequence[3], 0xFF, 0xE1, UInt8(sequence.count >> 8), UInt8(sequence.count & 0xFF)]
      + sequence + [1, UInt8(picture.count >> 8), UInt8(picture.count & 0xFF)] + picture
    return ScreenMessage(
      .configuration, flags: ScreenMessage.h264Flags, width: Float(width), height: Float(height),
      picture: ScreenMessage.Rectangle(width: Float(width), height: Float(height)), body: record)
  }

  /// Returns a picture.
  ///
  /// - Parameters:
  ///   - number: The pictures since the key frame; 0 for the key frame.
  ///   - time: Its time, in the form of NTP.
  ///   - padding: The bytes of filler data after it, which decoders drop.
  func frame(_ number: Int, time: UInt64, padding: Int = 0) -> ScreenMessage {
    var units = [number == 0 ? keyFrame : skippedFrame(number)]
    if padding > 0 { units.append([12] + [UInt8](repeating: 0xFF, count: padding) + [0x80]) }
    let body = units.flatMap { unit in
      (0..<4).reversed().map { UInt8(truncatingIfNeeded: unit.count >> (8 * $0)) } + unit
    }
    return ScreenMessage(.frame, isKeyFrame: number == 0, time: time, body: body)
  }

  /// Returns a film with a key frame each second, as a file of H.264 has it.
  func film(seconds: Int, rate: Int) -> [UInt8] {
    let start: [UInt8] = [0, 0, 0, 1]
    return (0..<seconds * rate).flatMap { number -> [UInt8] in
      let place = number % rate
      let sets = place == 0 ? start + sequenceParameters + start + pictureParameters : []
      return sets + start + (place == 0 ? keyFrame : skippedFrame(place))
    }
  }

  private var sequenceParameters: [UInt8] {
    var bits = BitWriter([0x67, 66, 0xC0, 51])
    bits.unsigned(0)  // seq_parameter_set_id
    bits.unsigned(4)  // log2_max_frame_num_minus4: 256 frame numbers
    bits.unsigned(2)  // pic_order_cnt_type
    bits.unsigned(1)  // max_num_ref_frames
    bits.bit(false)  // gaps_in_frame_num_value_allowed_flag
    bits.unsigned(columns - 1)
    bits.unsigned(rows - 1)
    bits.bit(true)  // frame_mbs_only_flag
    bits.bit(true)  // direct_8x8_inference_flag
    let crop = (right: (columns * 16 - width) / 2, bottom: (rows * 16 - height) / 2)
    bits.bit(crop != (0, 0))
    if crop != (0, 0) { for offset in [0, crop.right, 0, crop.bottom] { bits.unsigned(offset) } }
    bits.bit(false)  // vui_parameters_present_flag
    return bits.finished
  }

  private var pictureParameters: [UInt8] {
    var bits = BitWriter([0x68])
    bits.unsigned(0)  // pic_parameter_set_id
    bits.unsigned(0)  // seq_parameter_set_id
    bits.bit(false)  // entropy_coding_mode_flag: CAVLC
    bits.bit(false)  // bottom_field_pic_order_in_frame_present_flag
    bits.unsigned(0)  // num_slice_groups_minus1
    bits.unsigned(0)  // num_ref_idx_l0_default_active_minus1
    bits.unsigned(0)  // num_ref_idx_l1_default_active_minus1
    bits.bit(false)  // weighted_pred_flag
    bits.bits(0, count: 2)  // weighted_bipred_idc
    for _ in 0..<3 { bits.unsigned(0) }  // initial QP and QS, offset of chroma
    for _ in 0..<3 { bits.bit(false) }  // no filter control, no constrained prediction, no redundant pictures
    return bits.finished
  }

  private var keyFrame: [UInt8] {
    var bits = BitWriter([0x65])
    bits.unsigned(0)  // first_mb_in_slice
    bits.unsigned(7)  // slice_type: only I
    bits.unsigned(0)  // pic_parameter_set_id
    bits.bits(0, count: 8)  // frame_num
    bits.unsigned(0)  // idr_pic_id
    bits.bits(0, count: 2)  // no_output_of_prior_pics_flag, long_term_reference_flag
    bits.unsigned(0)  // slice_qp_delta
    for _ in 0..<columns * rows {
      bits.unsigned(3)  // mb_type: Intra 16 × 16, prediction DC, no residue
      bits.unsigned(0)  // intra_chroma_pred_mode: DC
      bits.unsigned(0)  // mb_qp_delta
      bits.bit(true)  // coeff_token: no coefficients
    }
    return bits.finished
  }

  private func skippedFrame(_ number: Int) -> [UInt8] {
    var bits = BitWriter([0x41])
    bits.unsigned(0)  // first_mb_in_slice
    bits.unsigned(5)  // slice_type: only P
    bits.unsigned(0)  // pic_parameter_set_id
    bits.bits(number & 0xFF, count: 8)  // frame_num
    bits.bit(false)  // num_ref_idx_active_override_flag
    bits.bit(false)  // ref_pic_list_modification_flag_l0
    bits.bit(false)  // adaptive_ref_pic_marking_mode_flag
    bits.unsigned(0)  // slice_qp_delta
    bits.unsigned(columns * rows)  // mb_skip_run
    return bits.finished
  }
}

/// A writer of the bits of a NAL unit.
private struct BitWriter {
  private var bytes: [UInt8]
  private var pending: UInt8 = 0
  private var pendingCount = 0

  /// Creates a writer after whole bytes.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func bit(_ isSet: Bool) {
    pending = pending << 1 | (isSet ? 1 : 0)
    pendingCount += 1
    guard pendingCount == 8 else { return }
    bytes.append(pending)
    (pending, pendingCount) = (0, 0)
  }

  mutating func bits(_ value: Int, count: Int) {
    for place in (0..<count).reversed() { bit(value >> place & 1 == 1) }
  }

  /// Writes a number in the Exp-Golomb code; a signed 0 has the same bit.
  mutating func unsigned(_ value: Int) {
    let count = Int.bitWidth - (value + 1).leadingZeroBitCount
    bits(0, count: count - 1)
    bits(value + 1, count: count)
  }

  /// The unit with its last bit, and with the bytes that keep start codes out of it.
  var finished: [UInt8] {
    var writer = self
    writer.bit(true)
    while writer.pendingCount != 0 { writer.bit(false) }
    var unit: [UInt8] = []
    var zeros = 0
    for byte in writer.bytes {
      if zeros >= 2, byte <= 3 {
        unit.append(3)
        zeros = 0
      }
      unit.append(byte)
      zeros = byte == 0 ? zeros + 1 : 0
    }
    return unit
  }
}
