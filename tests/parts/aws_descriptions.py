"""Reads what describes the AWS services in use when imported: by the fork server, once."""

from pagetide.net.aws_session import open_session

for _service in ("dynamodb", "sqs", "s3"):
    open_session("us-east-1").create_client(
        _service,
        aws_access_key_id="none",
        aws_secret_access_key="none",  # noqa: S106 - nobody is asked anything
    ).close()
