# The portal, and the files of its pages.
use strict;
use warnings;
use Lemonldap::NG::Portal;
use Plack::App::File;
use Plack::App::URLMap;

my $map = Plack::App::URLMap->new;
my $files = Plack::App::File->new( root => '/usr/share/lemonldap-ng/portal/htdocs/static' );
$map->map( '/static' => $files->to_app );
$map->map( '/'       => Lemonldap::NG::Portal->run( {} ) );
$map->to_app;
