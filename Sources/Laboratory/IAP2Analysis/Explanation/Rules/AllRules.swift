// swift-iap2 · Apache-2.0

extension SessionRule {
  /// All rules, in the order of a session: the link and its packets, authentication, identification, features, files, EA
  /// sessions and the CarPlay start, then those of values.
  package static let all: [SessionRule] =
    link + packets + authentications + identifications + messages + ofFeatures + files + sessions + carPlay + values

  private static let link: [SessionRule] = [
    .starter, .detectFirst, .detectBytes, .answersOffer, .sessionsOffered, .usableOffer, .upBeforeData, .firstNumber,
  ]
  private static let packets: [SessionRule] = [
    .dataAcknowledges, .acknowledgesSent, .acknowledgesDamaged, .acknowledges, .late, .retransmits, .early,
    .acknowledged, .limited, .nothingAgain, .agreedSession, .readable,
  ]
  private static let authentications: [SessionRule] = [
    .authenticatesFirst, .asked, .certificateForm, .challengeFits, .responseFresh, .verdictAsked,
  ]
  private static let identifications: [SessionRule] = [
    .identificationAsked, .acceptanceAsked, .identificationRule, .componentContents, .rejectionNames,
  ]
  private static let messages: [SessionRule] = [
    .both, .sender, .listed, .schema, .update, .started, .stopped, .stopsStarted,
  ]
  private static let ofFeatures: [SessionRule] = [
    .declaredComponent, .hidStarted, .released, .callKey, .callEffect, .library, .maneuvers, .sentence,
  ]
  private static let files: [SessionRule] = [
    .fileID, .artworkSent, .fileOrder, .fileSize, .fileAnswered,
  ]
  private static let sessions: [SessionRule] = [
    .declaredProtocol, .sessionIDFree, .statusNamed, .statusValue, .sessionOpen,
  ]
  private static let carPlay: [SessionRule] = [
    .networkAsked, .offered, .addresses, .sameNetwork,
  ]
}
