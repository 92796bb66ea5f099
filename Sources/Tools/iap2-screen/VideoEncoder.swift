// swift-iap2 · Apache-2.0

#if Screen
  import COpenH264
  import CPango
  import CarPlayPlatform

  /// An encoder of H.264 for pictures of one size: constrained baseline, no B pictures, a key frame on demand.
  @safe final class VideoEncoder {
    /// An encoded picture.
    struct Unit {
      /// The NAL units behind start codes (Annex B). A key frame has its parameter sets before it.
      var bytes: [UInt8]
      var isKeyFrame: Bool
    }

    /// The size in pixels. H.264 halves the colors, so both sides are even.
    let width, height: Int
    private let encoder: UnsafeMutablePointer<ISVCEncoder?>
    /// The brightness of each pixel, then the two colors of each square of four pixels.
    private var planes: [UInt8]
    private var count: Int64 = 0

    /// The quantizer of all pictures: small texts stay sharp, above 40 dB. Ours.
    private static let quantizer: Int32 = 22
    /// The highest number of pictures per second, by which the library chooses the level.
    private static let rate: Float = 60

    /// Creates an encoder.
    init(width: Int, height: Int) throws {
      let sides = CarScreen.filmSides
      guard max(width, height) <= sides.longer, min(width, height) <= sides.shorter else {
        throw ScreenProblem(
          "OpenH264 encodes at most \(sides.longer) x \(sides.shorter) pixels, not \(width) x \(height)")
      }
      (self.width, self.height) = (width & ~1, height & ~1)
      planes = [UInt8](repeating: 128, count: self.width * self.height * 3 / 2)
      var made: UnsafeMutablePointer<ISVCEncoder?>?
      guard unsafe WelsCreateSVCEncoder(&made) == 0, let made = unsafe made else {
        throw ScreenProblem("OpenH264 makes no encoder")
      }
      unsafe encoder = unsafe made
      var level = Int32(WELS_LOG_QUIET)
      _ = unsafe functions.SetOption(encoder, ENCODER_OPTION_TRACE_LEVEL, &level)
      var settings = SEncParamExt()
      _ = unsafe functions.GetDefaultParams(encoder, &settings)
      // The type for screens looks for moved text: it took twice the time, and the pictures were 3 % smaller. The
      // analysis of camera noise, which is off, finds nothing in drawn pictures.
      settings.iUsageType = CAMERA_VIDEO_REAL_TIME
      settings.iComplexityMode = LOW_COMPLEXITY
      settings.bEnableBackgroundDetection = false
      settings.bEnableAdaptiveQuant = false
      settings.bEnableDenoise = false
      settings.iPicWidth = Int32(self.width)
      settings.iPicHeight = Int32(self.height)
      settings.fMaxFrameRate = Self.rate
      settings.iRCMode = RC_OFF_MODE
      settings.eSpsPpsIdStrategy = CONSTANT_ID
      settings.bEnableFrameSkip = false
      // A thread of its own for a picture of some milliseconds would not pay.
      settings.iMultipleThreadIdc = 1
      settings.sSpatialLayers.0.iVideoWidth = Int32(self.width)
      settings.sSpatialLayers.0.iVideoHeight = Int32(self.height)
      settings.sSpatialLayers.0.fFrameRate = Self.rate
      settings.sSpatialLayers.0.uiProfileIdc = PRO_BASELINE
      settings.sSpatialLayers.0.iDLayerQp = Self.quantizer
      settings.sSpatialLayers.0.bVideoSignalTypePresent = true
      settings.sSpatialLayers.0.bColorDescriptionPresent = true
      settings.sSpatialLayers.0.uiColorPrimaries = UInt8(CP_BT709.rawValue)
      settings.sSpatialLayers.0.uiTransferCharacteristics = UInt8(TRC_BT709.rawValue)
      settings.sSpatialLayers.0.uiColorMatrix = UInt8(CM_BT709.rawValue)
      guard unsafe functions.InitializeExt(encoder, &settings) == 0 else {
        // The initializer has set everything, so the end of the object frees the encoder.
        throw ScreenProblem("OpenH264 encodes no pictures of \(width) x \(height) pixels")
      }
    }

    deinit {
      _ = unsafe functions.Uninitialize(encoder)
      unsafe WelsDestroySVCEncoder(encoder)
    }

    private var functions: ISVCEncoderVtbl {
      guard let functions = unsafe encoder.pointee else { preconditionFailure("the encoder has no functions") }
      return unsafe functions.pointee
    }

    /// Takes the pixels of boxes of a surface of the encoder's size.
    func take(_ boxes: [ScreenPixels.Box], of surface: Surface) throws {
      unsafe cairo_surface_flush(surface.pointer)
      guard let data = unsafe cairo_image_surface_get_data(surface.pointer) else { throw Canvas.noMemory(surface) }
      let stride = Int(unsafe cairo_image_surface_get_stride(surface.pointer))
      unsafe planes.withUnsafeMutableBufferPointer { planes in
        guard let start = planes.baseAddress else { return }
        for box in boxes { unsafe take(box, of: data, stride: stride, into: start) }
      }
    }

    /// Converts the pixels of a box to the matrix of BT.709 with the levels of television. A color is the mean of its
    /// four pixels. The compiler turns the loops into instructions for several pixels.
    private func take(
      _ box: ScreenPixels.Box, of data: UnsafeMutablePointer<UInt8>, stride: Int,
      into planes: UnsafeMutablePointer<UInt8>
    ) {
      let (left, right) = (box.x & ~1, min((box.x + box.width + 1) & ~1, width))
      let (top, bottom) = (box.y & ~1, min((box.y + box.height + 1) & ~1, height))
      guard left < right else { return }
      func row(_ number: Int) -> UnsafePointer<UInt32> {
        unsafe UnsafeRawPointer(data + number * stride).assumingMemoryBound(to: UInt32.self)
      }
      let colors = (blue: width * height, red: width * height * 5 / 4)
      for number in Swift.stride(from: top, to: bottom, by: 2) {
        for line in number...number + 1 {
          unsafe Self.convert(row(line), left..<right, brightness: planes + line * width)
        }
        let place = number * width / 4
        unsafe Self.convert(
          row(number), row(number + 1), left / 2..<right / 2, blues: planes + colors.blue + place,
          reds: planes + colors.red + place)
      }
    }

    /// Converts pixels, whose bytes are blue, green, red and one without meaning, to their brightness.
    @inline(never) private static func convert(
      _ pixels: UnsafePointer<UInt32>, _ columns: Range<Int>, brightness: UnsafeMutablePointer<UInt8>
    ) {
      for column in columns {
        let pixel = unsafe pixels[column]
        let (red, green, blue) = (pixel &>> 16 & 0xFF, pixel &>> 8 & 0xFF, pixel & 0xFF)
        unsafe brightness[column] = UInt8(
          truncatingIfNeeded: (47 &* red &+ 157 &* green &+ 16 &* blue &+ 4224) &>> 8)
      }
    }

    /// Converts squares of four pixels to their colors.
    @inline(never) private static func convert(
      _ upper: UnsafePointer<UInt32>, _ lower: UnsafePointer<UInt32>, _ columns: Range<Int>,
      blues: UnsafeMutablePointer<UInt8>, reds: UnsafeMutablePointer<UInt8>
    ) {
      // Sums of four bytes fit two bytes.
      let mask: UInt32 = 0x00FF_00FF
      for column in columns {
        let (one, two) = unsafe (upper[column &* 2], upper[column &* 2 &+ 1])
        let (three, four) = unsafe (lower[column &* 2], lower[column &* 2 &+ 1])
        let both = (one & mask) &+ (two & mask) &+ (three & mask) &+ (four & mask)
        let greens = (one &>> 8 & 0xFF) &+ (two &>> 8 & 0xFF) &+ (three &>> 8 & 0xFF) &+ (four &>> 8 & 0xFF)
        let (red, green) = (Int32(truncatingIfNeeded: both &>> 16), Int32(truncatingIfNeeded: greens))
        let blue = Int32(truncatingIfNeeded: both & 0xFFFF)
        unsafe blues[column] = UInt8(
          truncatingIfNeeded: (112 &* blue &- 26 &* red &- 86 &* green &+ 131_584) &>> 10)
        unsafe reds[column] = UInt8(
          truncatingIfNeeded: (112 &* red &- 102 &* green &- 10 &* blue &+ 131_584) &>> 10)
      }
    }

    /// Encodes the pixels that were taken.
    ///
    /// - Parameter isKeyFrame: Whether the picture must stand alone. The first one always does.
    func encode(isKeyFrame: Bool) throws -> Unit {
      if isKeyFrame { _ = unsafe functions.ForceIntraFrame(encoder, true) }
      var picture = SSourcePicture()
      picture.iColorFormat = Int32(videoFormatI420.rawValue)
      picture.iPicWidth = Int32(width)
      picture.iPicHeight = Int32(height)
      picture.iStride = (Int32(width), Int32(width / 2), Int32(width / 2), 0)
      picture.uiTimeStamp = count * 1000 / Int64(Self.rate)
      count += 1
      var info = SFrameBSInfo()
      let status = unsafe planes.withUnsafeMutableBufferPointer { planes in
        let start = planes.baseAddress
        unsafe picture.pData = (
          start, start.map { unsafe $0 + width * height }, start.map { unsafe $0 + width * height * 5 / 4 }, nil
        )
        return unsafe functions.EncodeFrame(encoder, &picture, &info)
      }
      guard status == 0 else { throw ScreenProblem("OpenH264 does not encode the picture (\(status))") }
      return Unit(bytes: Self.bytes(of: info), isKeyFrame: info.eFrameType == videoFrameTypeIDR)
    }

    private static func bytes(of info: SFrameBSInfo) -> [UInt8] {
      var info = info
      var bytes: [UInt8] = []
      let count = Int(info.iLayerNum)
      unsafe withUnsafeBytes(of: &info.sLayerInfo) { bytesOfLayers in
        let layers = unsafe bytesOfLayers.bindMemory(to: SLayerBSInfo.self)
        for index in 0..<count {
          let layer = unsafe layers[index]
          let length = unsafe (0..<Int(layer.iNalCount)).reduce(0) { unsafe $0 + Int(layer.pNalLengthInByte[$1]) }
          unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: layer.pBsBuf, count: length))
        }
      }
      return bytes
    }
  }
#endif
