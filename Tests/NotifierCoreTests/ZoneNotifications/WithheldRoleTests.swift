import Directory
import Model
import NotifierCore
import Testing

@Suite struct WithheldRoleTests {
    @Test func `a guardian whom the person has not agreed to gets no zone notifications`() {
        var world = World()
        var family = Town.family
        family.members[0].withheldFrom = [Town.budi.id]
        world.change(.circleChanged(family))
        world.receive(.zoneEntered(Town.crossing()))
        #expect(world.addresses == ["+60111000003"], "the admin, not the guardian")
    }
}
