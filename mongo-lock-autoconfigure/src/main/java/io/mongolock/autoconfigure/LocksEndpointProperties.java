package io.mongolock.autoconfigure;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the endpoint that shows the locks.
 *
 * @param showValues to whom it is shown over HTTP who holds a lock and who waits
 * @param roles one of which a user has to have to release locks, and to be shown that if
 * it depends on the user; any user if there are none
 */
@ConfigurationProperties("management.endpoint.mongolocks")
record LocksEndpointProperties(@DefaultValue("when-authorized") Show showValues, @DefaultValue Set<String> roles) {

}
