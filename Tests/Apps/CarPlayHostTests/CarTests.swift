// swift-iap2 · Apache-2.0

import CarSupport
import Testing

/// The tests with a car. A process has one phone, so they run one after another.
@Suite(.onlyCar) enum CarTests {}
