import DirectoryViews
import MembershipCore
import Model
import Parsing

extension View {
    static func device(_ device: Device, _ credentials: [Credential]) -> JSON {
        .object(
            [
                .init("id", .string(device.id.description)),
                .init("person", .string(device.person.description)),
            ] + DeviceField.all.members(of: device) + [
                .init("credentials", .array(credentials.map { credential($0) })),
                .init("version", .integer(device.version)),
            ])
    }
}
