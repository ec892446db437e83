package io.mongolock.sample.desk;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of this application.
 *
 * @param editingTime how long an article stays locked after the last sign of life of the
 * page that edits it
 */
@ConfigurationProperties("desk")
public record EditDeskProperties(@DefaultValue("20s") Duration editingTime) {

}
