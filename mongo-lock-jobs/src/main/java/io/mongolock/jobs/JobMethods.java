package io.mongolock.jobs;

import java.lang.reflect.Method;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.ReflectionUtils;

import io.mongolock.interceptor.ProxyKind;
import io.mongolock.interceptor.ProxyReach;
import io.mongolock.interceptor.ProxyReach.Obstacle;
import io.mongolock.jobs.JobDecision.Terms;

/**
 * Finds the methods with {@link ScheduledJob}. Refuses methods that cannot be run as
 * declared, and adds the others to the jobs. Warns of methods whose bean does not exist
 * once the application has started. Thread-safe.
 */
final class JobMethods implements BeanPostProcessor {

	private static final Log logger = LogFactory.getLog(JobMethods.class);

	/** Of a module that the application need not have. */
	private static final String LEADER_ONLY = "io.mongolock.leader.LeaderOnly";

	private final Environment environment;

	private final JobRegistry jobs;

	private final ObjectProvider<MongoLockJobsProperties> properties;

	private final ConfigurableListableBeanFactory beans;

	/** By bean and job: if a bean is created several times, its first instance runs. */
	private final Map<String, Method> methods = new ConcurrentHashMap<>();

	/**
	 * Find methods.
	 * @param properties the settings, which must not be created too early
	 * @param beans the factory of the beans with the methods
	 */
	JobMethods(Environment environment, JobRegistry jobs, ObjectProvider<MongoLockJobsProperties> properties,
			ConfigurableListableBeanFactory beans) {
		this.environment = environment;
		this.jobs = jobs;
		this.properties = properties;
		this.beans = beans;
	}

	static boolean areIn(Class<?> type) {
		return AnnotationUtils.isCandidateClass(type, ScheduledJob.class) && !find(type).isEmpty();
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
		if (!(bean instanceof AopInfrastructureBean) && AnnotationUtils.isCandidateClass(type, ScheduledJob.class)) {
			find(type).forEach((method, declared) -> add(declared, method, bean, beanName));
		}
		return bean;
	}

	// After other listeners of this event, because they create the beans of a scope
	@EventListener
	void on(ContextRefreshedEvent event) {
		if (event.getApplicationContext().getAutowireCapableBeanFactory() == this.beans
				&& this.properties.getObject().jobs().enabled()) {
			new ProxyKind(this.beans).later().forEach((beanName, type) -> {
				try {
					warnIfNotScheduled(beanName, type);
				}
				catch (RuntimeException ex) {
					logger.debug("Could not find out whether bean '" + beanName + "' has jobs", ex);
				}
			});
		}
	}

	// A wrong declaration is refused when the bean is created, and not here
	private void warnIfNotScheduled(String beanName, Class<?> type) {
		BeanDefinition bean = this.beans.getMergedBeanDefinition(beanName);
		if (bean.isAbstract()) {
			return;
		}
		List<String> names = find(type).values()
			.stream()
			.filter((declared) -> !Scheduled.CRON_DISABLED
				.equals(this.environment.resolvePlaceholders(declared.cron()).trim()))
			.map((declared) -> this.environment.resolvePlaceholders(declared.name()).trim())
			.filter((name) -> !this.methods.containsKey(beanName + " " + name))
			.sorted()
			.toList();
		if (!names.isEmpty()) {
			logger.warn("Bean '" + beanName + "' "
					+ ((bean.isSingleton()) ? "is lazy" : "has the scope '" + bean.getScope() + "'")
					+ " and has not been created, so its jobs " + names
					+ " are not scheduled until the bean is created. " + ((bean.isSingleton())
							? "Remove @Lazy from the bean or its configuration class" : "Make the bean a singleton"));
		}
	}

	private static Map<Method, ScheduledJob> find(Class<?> type) {
		return MethodIntrospector.selectMethods(type, (MetadataLookup<ScheduledJob>) (method) -> AnnotatedElementUtils
			.findMergedAnnotation(method, ScheduledJob.class));
	}

	private void add(ScheduledJob declared, Method method, Object bean, String beanName) {
		String name = text(declared.name());
		check(declared, name, method);
		JobTrigger trigger = trigger(declared, method);
		if (trigger == null) {
			return;
		}
		String maxDuration = text(declared.maxDuration());
		Duration most = (maxDuration.isEmpty()) ? null : duration("maxDuration", maxDuration, method);
		Duration retryAfter = duration("retryAfter", text(declared.retryAfter()), method);
		checkReach(method, bean);
		Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
		ReflectionUtils.makeAccessible(invocable);
		JobWork<Throwable> work = new JobCall(invocable, bean);
		Job job = new Job(name,
				() -> new Terms(name, trigger, declared.catchUp(), this.properties.getObject().jobs().grace(),
						declared.onAbandoned(), declared.maxAttempts(), declared.retries(), retryAfter, most,
						declared.onLost()),
				work);
		if (!this.jobs.add(job) && !method.equals(this.methods.get(beanName + " " + name))) {
			throw new IllegalStateException("Two methods have @ScheduledJob(name = \"" + name
					+ "\"), but the runs of a job are kept under its name. Give each method its own name");
		}
		this.methods.put(beanName + " " + name, method);
	}

	private static void check(ScheduledJob declared, String name, Method method) {
		try {
			Jobs.checkName(name);
		}
		catch (IllegalArgumentException ex) {
			throw refused(method, String.valueOf(ex.getMessage()));
		}
		if (declared.maxAttempts() < 1) {
			throw refused(method, "maxAttempts is " + declared.maxAttempts() + ", but must be at least 1");
		}
		if (declared.retries() < 0) {
			throw refused(method, "retries is " + declared.retries() + ", but must be at least 0");
		}
		if (!JobCall.isPossible(method)) {
			throw refused(method,
					"the scheduler cannot see when the result of this method ends. Return void, a CompletionStage or, "
							+ "if Reactor is on the class path, a reactive type. A suspending function must return "
							+ "Unit or a Flow, and needs kotlinx-coroutines-reactor and kotlin-reflect");
		}
		int arguments = JobCall.arguments(method);
		if (arguments > 1 || arguments == 1 && method.getParameterTypes()[0] != JobRun.class) {
			throw refused(method,
					"this method has parameters that the scheduler cannot fill. Declare no parameter, or only a JobRun");
		}
		if (!AnnotatedElementUtils.findMergedRepeatableAnnotations(method, Scheduled.class).isEmpty()) {
			throw refused(method, "this method also has @Scheduled, which would run the method in each instance. Move "
					+ "the schedule to @ScheduledJob");
		}
		if (MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(LEADER_ONLY)) {
			throw refused(method,
					"this method is also @LeaderOnly, so in an instance that does not lead, a run would do "
							+ "nothing and be recorded as succeeded. Remove @LeaderOnly, because only one instance runs a job");
		}
		if (AnnotatedElementUtils.hasAnnotation(method, Async.class)
				|| AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class)) {
			throw refused(method, "this method is @Async, so each run would be recorded before its work ends. Remove "
					+ "@Async, because each run of a job has its own thread");
		}
	}

	// If the proxy does not override the method, the method would see the empty fields of
	// the proxy
	private static void checkReach(Method method, Object bean) {
		Obstacle obstacle = (AopUtils.isCglibProxy(bean))
				? ProxyReach.toClassProxy(method, AopUtils.getTargetClass(bean)) : null;
		if (obstacle != null) {
			throw refused(method, "this method " + obstacle.problem() + ". " + obstacle.action());
		}
	}

	// null if the job is switched off
	private @Nullable JobTrigger trigger(ScheduledJob declared, Method method) {
		String cron = text(declared.cron());
		String rate = text(declared.fixedRate());
		String delay = text(declared.fixedDelay());
		if (Stream.of(cron, rate, delay).filter((each) -> !each.isEmpty()).count() != 1) {
			throw refused(method, "the schedule is not clear. Set exactly one of the attributes 'cron', 'fixedRate' "
					+ "and 'fixedDelay'");
		}
		if (Scheduled.CRON_DISABLED.equals(cron)) {
			return null;
		}
		if (!cron.isEmpty()) {
			return cron(cron, text(declared.zone()), method);
		}
		if (!declared.zone().isEmpty()) {
			throw refused(method,
					"the attribute 'zone' is set, but only 'cron' uses a zone. Remove the attribute 'zone'");
		}
		return (!rate.isEmpty()) ? new JobTrigger.Rate(duration("fixedRate", rate, method))
				: new JobTrigger.Delay(duration("fixedDelay", delay, method));
	}

	private static JobTrigger cron(String cron, String zone, Method method) {
		try {
			JobTrigger.Cron trigger = new JobTrigger.Cron(CronExpression.parse(cron),
					(zone.isEmpty()) ? ZoneId.systemDefault() : ZoneId.of(zone));
			if (trigger.expression().next(ZonedDateTime.ofInstant(Instant.EPOCH, trigger.zone())) == null) {
				throw refused(method,
						"cron = \"" + cron + "\" is never due. To switch the job off, write cron = \"-\"");
			}
			LocalDate irregular = (zone.isEmpty()) ? trigger.nextIrregularDay(Instant.now()) : null;
			if (irregular != null) {
				logger.warn("@ScheduledJob on " + method + ": on " + irregular + " the zone of this JVM, "
						+ trigger.zone() + ", skips or repeats the hour of cron = \"" + cron
						+ "\". Set zone to \"UTC\". If you want these skips and repetitions, set zone to the JVM's zone");
			}
			return trigger;
		}
		catch (IllegalArgumentException | DateTimeException ex) {
			throw refused(method,
					"the schedule cron = \"" + cron + "\", zone = \"" + zone + "\" is not valid: " + ex.getMessage());
		}
	}

	private static Duration duration(String attribute, String text, Method method) {
		try {
			Duration duration = DurationStyle.detectAndParse(text);
			if (duration.compareTo(Duration.ofMillis(100)) >= 0) {
				return duration;
			}
		}
		catch (IllegalArgumentException ex) {
			// refused below
		}
		throw refused(method,
				attribute + " = \"" + text + "\" must be a duration of at least 100ms, for example \"10s\"");
	}

	private String text(String declared) {
		return this.environment.resolveRequiredPlaceholders(declared).trim();
	}

	private static IllegalStateException refused(Method method, String problem) {
		return new IllegalStateException("@ScheduledJob on " + method + ": " + problem);
	}

}
