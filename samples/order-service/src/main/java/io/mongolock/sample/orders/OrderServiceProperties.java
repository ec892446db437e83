package io.mongolock.sample.orders;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of this application.
 *
 * @param embeddedPort loopback port of the embedded server, if no other is configured
 * @param paymentTime how long a payment works between reading and writing the balance
 * @param settlementTime how long a settlement works
 * @param reminderTime how long the job that reminds debtors works
 * @param settlementCron when the settlement runs
 */
@ConfigurationProperties("orders")
public record OrderServiceProperties(@DefaultValue("27117") int embeddedPort,
		@DefaultValue("20ms") Duration paymentTime, @DefaultValue("5s") Duration settlementTime,
		@DefaultValue("20s") Duration reminderTime, @DefaultValue("0 0 2 * * *") String settlementCron) {

}
