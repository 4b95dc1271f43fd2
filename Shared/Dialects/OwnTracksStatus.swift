import Hashing
import Model
import Parsing

extension OwnTracks {
    /// Reads waypoints that the user drew on the phone.
    ///
    /// Only fixed circles become suggested zones. A negative radius follows the phone, and a
    /// waypoint without a radius is a mark on the map or a beacon.
    ///
    /// - Parameter isOne: whether the whole message is a single waypoint
    static func waypoints(_ list: [JSON], isOne: Bool) -> Reading {
        var reading = Reading()
        for (index, json) in list.enumerated() {
            guard case .object = json else {
                reading.rejections.append(
                    Rejection(index: index, reason: .notAnObject, payload: json.serialized()))
                continue
            }
            let radius = json["rad"]?.numberOrNumericString ?? 0
            guard radius > 0 else { continue }
            let position = Quantity.position(latitude: json["lat"], longitude: json["lon"])
                .usable(from: .tracker, accuracy: nil)
            switch position {
            case .failure(let unusable):
                reading.rejections.append(
                    Rejection(
                        index: index, reason: unusable.reason,
                        payload: isOne ? nil : json.serialized()))
            case .success(let center):
                guard let radius = Quantity.radius(radius) else { continue }
                reading.status.zones.append(
                    SuggestedZone(
                        key: key(of: json), name: name(of: json), center: center,
                        radiusMetres: radius))
            }
        }
        return reading
    }

    /// iOS identifies a waypoint by `rid`, Android by its creation time.
    private static func key(of json: JSON) -> String {
        if let id = Quantity.messageID(json["rid"]?.string) { return id }
        return json["tst"]?.numberOrNumericString.map { "\($0)" } ?? name(of: json)
    }

    private static func name(of json: JSON) -> String {
        let name = json["desc"]?.string ?? ""
        return name.allSatisfy(\.isWhitespace)
            ? "Waypoint" : String(name.prefix(Card.nameCharactersMax))
    }

    /// Reads what keeps the phone from reporting.
    ///
    /// Android sends numbers, in older versions without an object around them. iOS sends the names
    /// of its constants. The status of any other app is ignored.
    static func status(_ json: JSON) -> Reading {
        if let phone = json["iOS"], case .object = phone {
            return Reading(status: DeviceStatus(impairments: impairments(ofIOS: phone)))
        }
        let phone = json["android"] ?? json
        guard case .object = phone,
            ["loc", "bo", "hib", "ps"].contains(where: { phone[$0] != nil })
        else { return .nothing }
        return Reading(status: DeviceStatus(impairments: impairments(ofAndroid: phone)))
    }

    /// `loc`: 0 always and precise, −1 always and approximate, other values while the app is in use
    /// or never.
    private static func impairments(ofAndroid phone: JSON) -> [Impairment] {
        func number(_ key: String) -> Double { phone[key]?.numberOrNumericString ?? 0 }
        var found: [Impairment] = []
        switch number("loc") {
        case 0: break
        case -1: found.append(.approximateLocation)
        default: found.append(.locationPermission)
        }
        if number("bo") != 0 { found.append(.batteryOptimisation) }
        if number("hib") != 0 { found.append(.hibernation) }
        if number("ps") != 0 { found.append(.powerSave) }
        return found.sorted()
    }

    private static func impairments(ofIOS phone: JSON) -> [Impairment] {
        var found: [Impairment] = []
        if let location = phone["locationManagerAuthorizationStatus"]?.string,
            !location.hasSuffix("AuthorizedAlways")
        {
            found.append(.locationPermission)
        }
        if let refresh = phone["backgroundRefreshStatus"]?.string,
            !refresh.hasSuffix("StatusAvailable")
        {
            found.append(.backgroundRefresh)
        }
        return found.sorted()
    }

    /// Reads how the user wants to appear. A face that is not a picture is rejected; the name still
    /// counts, and the current avatar stays.
    static func card(_ json: JSON) -> Reading {
        var card = Card(
            name: json["name"]?.string.map { String($0.prefix(Card.nameCharactersMax)) })
        var reading = Reading()
        if let text = json["face"]?.string, !text.isEmpty {
            if let avatar = decoded(text), Card.isAvatar(avatar) {
                card.avatar = avatar
            } else {
                card.keepsAvatar = true
                reading.rejections.append(Rejection(index: 0, reason: .badPicture))
            }
        }
        if card.name?.allSatisfy(\.isWhitespace) == true { card.name = nil }
        reading.status.card = card
        return reading
    }
}
