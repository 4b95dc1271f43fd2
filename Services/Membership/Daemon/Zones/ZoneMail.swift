import Directory
import DirectoryViews
import MembershipCore
import Model
import Parsing
import Web
import ZoneFiles

/// Zones as the attachment of a mail.
struct ZoneMail {
    let file: RequestedMessage.File
    /// Losses of the file format.
    let notes: [FileNote]
    let count: Int

    init(_ zones: [Zone], named name: String) throws(Problem) {
        let written = View.file(of: zones, as: .pad)
        guard written.bytes.count <= Limits.mailedFileBytesMax else {
            throw .conflict(
                "the file has \(written.bytes.count >> 10) KiB, at most "
                    + "\(Limits.mailedFileBytesMax >> 10) are mailed",
                hint: "export the zones and send the file yourself")
        }
        file = RequestedMessage.File(
            name: name + ".pad", text: String(decoding: written.bytes, as: UTF8.self))
        notes = written.notes
        count = zones.count
    }

    /// The response to the sender.
    var json: JSON {
        [
            "file": .string(file.name), "zones": .integer(Int64(count)),
            "notes": View.notes(notes),
        ]
    }
}

extension ChangeReader {
    /// - Parameter zone: nil = all zones of a set
    func readMail(
        of owner: ZoneOwner, _ zone: ZoneID?
    ) throws(Problem) -> RequestedChange {
        let (action, target) = RightsTarget.reading(zonesOf: owner)
        let decision = directory.decide(principal, action, on: target, at: clocks.now)
        if let denial = decision.denial { throw Problem(denial) }
        guard directory.knows(owner) else { throw .notFound("there is no such \(owner.kind)") }
        let zones = directory.zones(of: owner).filter { zone == nil || $0.id == zone }
        guard zone == nil || !zones.isEmpty else { throw .notFound("there is no such zone") }
        let body = try body()
        let address: String
        do throws(FieldError) {
            let rules = Channel.email.rules
            let to = try Fields(body, known: ["to"]).text(
                "to", must: rules.addressRequirement, hint: rules.addressHint, rules.address)
            guard let to else { throw .missing("to", hint: rules.addressHint) }
            address = to
        } catch {
            throw Problem(error)
        }
        var name = zones.first?.name ?? "zones"
        if zone == nil, case .set(let set) = owner { name = directory.set(set)?.name ?? name }
        var requested = RequestedChange(.mailZones(owner, zone, to: address))
        requested.mail = try ZoneMail(zones, named: name)
        return requested
    }
}

extension RequestedMessage {
    init(_ order: CodeOrder, _ mail: ZoneMail) {
        self.init(
            channel: .email, address: order.number, sender: order.sender, locale: order.locale,
            content: .zones(mail.file))
    }
}
