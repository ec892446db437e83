package io.mongolock.autoconfigure;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the endpoint that shows the locks.
 *
 * @param showValues who sees over HTTP which instances hold locks or wait for them
 * @param roles roles of which a user needs one to release locks, and to see who holds
 * them if that depends on the user; any user if there are none
 */
@ConfigurationProperties("management.endpoint.mongolocks")
record LocksEndpointProperties(@DefaultValue("when-authorized") Show showValues, @DefaultValue Set<String> roles) {

}
